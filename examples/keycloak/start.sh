#!/bin/sh
# Serves Keycloak on port 8080. It keeps its data in /data: a copy of the database that the build made, which has the realm; or
# with DATABASE, the name of a host, in the PostgreSQL there, which is filled at the first start. Arguments are those of kc.sh start.
set -e
home=/srv/h2
if [ -n "$DATABASE" ]; then
  home=/srv/postgres
  mkdir -p /data/import
  cp /srv/import/shop.json /data/import
  set -- --db-url="jdbc:postgresql://$DATABASE/postgres" --db-username=login --db-pool-max-size=10 --import-realm "$@"
else
  cp -r /srv/data/h2 /data/
fi
# Half of the memory is for code, classes, threads and argon2. Serial is what Java chooses below two CPUs.
exec /usr/bin/java -XX:+UseSerialGC -XX:MaxRAMPercentage=50 -XX:MetaspaceSize=96M -Duser.language=en -Dfile.encoding=UTF-8 \
  --add-opens=java.base/java.util=ALL-UNNAMED --add-opens=java.base/java.util.concurrent=ALL-UNNAMED --add-opens=java.base/java.security=ALL-UNNAMED \
  -Dkc.home.dir=$home -Djboss.server.config.dir=$home/conf -Djava.util.logging.manager=org.jboss.logmanager.LogManager \
  -Djava.io.tmpdir=/data -Dpicocli.disable.closures=true -cp $home/lib/quarkus-run.jar io.quarkus.bootstrap.runner.QuarkusEntryPoint \
  start --optimized --http-enabled=true --hostname-strict=false --cache=local --log-level=WARN "$@"
