#!/usr/bin/env bash
# build.sh FOLDER puts Keycloak into FOLDER/srv, built for H2 and for PostgreSQL, and a database of H2 with the realm of
# src/import, so that a pod need not fill one: that takes most of the time of a first start.
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
shopt -s inherit_errexit
folder=$(cd "$1" && pwd)
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$source"
source ../../tools/build/messages.sh
source ../../hack/packages.sh
source ../../tools/build/maven.sh
need javac openjdk-17-jdk-headless

mkdir -p "$folder/usr/bin" "$folder/srv"
(cd "$folder/usr/bin" && ln -sf ../lib/jvm/java-17-openjdk-*/bin/java java)
ln -sf dash "$folder/bin/sh"
# Keycloak wants the certificates that the packages' scripts would put there, and trusts none of them here.
readonly certificates=/etc/ssl/certs/java/cacerts
[[ -f $certificates ]] || die "there is no $certificates; install ca-certificates-java (on Debian, as root: apt-get install ca-certificates-java)"
install -D --mode 0644 --compare "$certificates" "$folder$certificates"
install --mode 0644 --compare start.sh "$folder/srv/start.sh"

seal=$(find build.sh pom.xml src -type f | LC_ALL=C sort | xargs -d '\n' sha256sum | sha256sum | cut -d' ' -f1)
[[ ! -d $folder/srv/data || $(cat "$folder.srv.seal" 2>/dev/null) != "$seal" ]] || exit 0

maven_package . keycloak
cd ../../dist/maven/keycloak/target/dependency/keycloak-*
say "building Keycloak for H2 and PostgreSQL, and a database (a minute)"
rm -rf "$folder.srv.seal" "$folder"/srv/{h2,postgres,lib,themes,import,data}

# built DATABASE NAME puts the server for a database into the folder NAME. The libraries are the same.
built() {
  bin/kc.sh build --db="$1" --cache=local >/dev/null
  mkdir -p "$folder/srv/$2/lib"
  cp -r conf providers version.txt "$folder/srv/$2"
  cp -r lib/quarkus lib/quarkus-run.jar "$folder/srv/$2/lib"
  ln -s ../../lib/lib ../../lib/app "$folder/srv/$2/lib"
  ln -s ../themes "$folder/srv/$2/themes"
  ln -s /data "$folder/srv/$2/data"
}
built postgres postgres
built dev-file h2
mkdir -p "$folder/srv/lib"
cp -r lib/lib lib/app "$folder/srv/lib"
cp -r themes "$folder/srv/themes"
cp -r "$source/src/import" "$folder/srv/import"

# The first start makes the database. It listens on loopback only, and ends once it serves the realm.
readonly port=18089
! curl --silent --output /dev/null "http://127.0.0.1:$port" || die "another program listens on port $port"
mkdir -p data/import
cp "$source/src/import/shop.json" data/import
bin/kc.sh start --optimized --import-realm --http-enabled=true --hostname-strict=false --http-host=127.0.0.1 --http-port="$port" --log-level=WARN >&2 &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
for ((second = 0; ; second++)); do
  kill -0 "$server" 2>/dev/null || die "Keycloak ended before it served its realm; see its output above"
  ((second < 300)) || die "Keycloak did not serve its realm within five minutes"
  ! curl --silent --fail --output /dev/null "http://127.0.0.1:$port/realms/shop" || break
  sleep 1
done
kill "$server"
wait "$server" || true
install -D --mode 0644 data/h2/keycloakdb.mv.db "$folder/srv/data/h2/keycloakdb.mv.db"
echo "$seal" >"$folder.srv.seal"
