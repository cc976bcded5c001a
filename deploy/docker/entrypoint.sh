#!/bin/sh
# <service> [migrate] | secrets | roles | demo | admin: runs that program in place of this script. Each file of
# /run/waybill is a setting: its name is the variable, its content the value. Variables of the environment take
# precedence over these files and over deploy/process.env.
set -eu
cd "$(dirname "$0")/../.."

for file in /run/waybill/*; do
  [ -f "$file" ] || continue
  name=${file##*/}
  printenv "$name" >/dev/null || export "$name=$(cat "$file")"
done

while IFS='=' read -r name value; do
  case $name in [A-Z]*) printenv "$name" >/dev/null || export "$name=$value" ;; esac
done <deploy/process.env

program=${1:-}
case $program in
  secrets | roles | demo | admin) main=deploy/docker/$program.ts ;;
  *) main=services/$program/src/main.ts ;;
esac
if [ -z "$program" ] || [ ! -f "$main" ]; then
  echo "usage: waybill <service> [migrate], of: $(cd services && echo *)" >&2
  exit 64
fi
shift
exec node "$main" "$@"
