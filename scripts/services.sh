#!/bin/sh
# Runs a command with a private PostgreSQL and Redis: scripts/services.sh COMMAND...   They live in a temporary folder and stop with it.
# Uses DATABASE_URL and REDIS_URL as they are where both are given already.
set -eu

if [ -n "${DATABASE_URL:-}" ] && [ -n "${REDIS_URL:-}" ]; then
    exec "$@"
fi

find_postgres() { ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1; }
if [ -z "$(find_postgres)" ] || ! command -v redis-server >/dev/null 2>&1; then
    [ "$(id -u)" = 0 ] || { echo "services: run as root: apt install postgresql redis-server" >&2; exit 1; }
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql redis-server >/dev/null
fi
bin=$(find_postgres)
folder=$(mktemp -d)
chmod 755 "$folder"
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
database_port=$(free_port)
redis_port=$(free_port)

# PostgreSQL refuses to run as root.
as_owner() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
finish() {
    as_owner "$bin/pg_ctl" --pgdata "$folder/postgres" --mode immediate stop >/dev/null 2>&1 || true
    redis-cli -p "$redis_port" shutdown nosave >/dev/null 2>&1 || true
    rm -rf "$folder"
}
trap finish EXIT
trap 'exit 130' INT TERM

mkdir "$folder/postgres" "$folder/redis"
[ "$(id -u)" != 0 ] || chown postgres "$folder/postgres"
as_owner "$bin/initdb" --pgdata "$folder/postgres" --auth trust --username gpucontract --encoding UTF8 --locale C.UTF-8 >/dev/null
as_owner "$bin/pg_ctl" --pgdata "$folder/postgres" --wait --log "$folder/postgres/log" \
    --options "-c listen_addresses=127.0.0.1 -c port=$database_port -c unix_socket_directories=$folder/postgres -c fsync=off" start >/dev/null
as_owner "$bin/createdb" --host 127.0.0.1 --port "$database_port" --username gpucontract gpucontract
redis-server --daemonize yes --bind 127.0.0.1 --port "$redis_port" --dir "$folder/redis" --appendonly yes >/dev/null

DATABASE_URL="postgres://gpucontract@127.0.0.1:$database_port/gpucontract" REDIS_URL="redis://127.0.0.1:$redis_port/0" "$@"
