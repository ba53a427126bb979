#!/bin/sh
# Makes a database in /data, and serves it. Nothing in it outlives the pod, so nothing is written to disk for sure.
set -e
programs=/usr/lib/postgresql/15/bin
$programs/initdb --pgdata=/data/db --username=login --auth=trust --locale=C.UTF-8 --no-sync --wal-segsize=1 >/dev/null
echo 'host all all all trust' >>/data/db/pg_hba.conf
exec $programs/postgres -D /data/db -c listen_addresses='*' -c unix_socket_directories='' -c fsync=off -c shared_buffers=16MB \
  -c max_wal_size=32MB -c min_wal_size=8MB -c max_connections=20 -c jit=off -c autovacuum=off
