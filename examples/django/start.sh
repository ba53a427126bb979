#!/bin/sh
# Creates the tables, and serves logins with so many workers.
set -e
cd /srv
/usr/bin/python3.11 login.py migrate --verbosity=0
exec /usr/bin/python3.11 -m gunicorn.app.wsgiapp --bind=0.0.0.0:8080 --workers="$WORKERS" --worker-tmp-dir=/tmp --log-level=warning login:application
