#!/bin/sh
# Approves the devices of one batch on a factory line as they register, and no other devices. It needs a POSIX shell,
# `ratafia`, and an agent of an account with the role device-approver for the brand:
#
#   ratafia accounts add factory --email factory@example.org --name 'Factory line' --no-password
#   ratafia grants add factory device-approver --brand acme
#   ratafia agents add line-1 --account factory --url https://store.example.org/identity --output line-1.json
#
#   export RATAFIA_URL=https://store.example.org RATAFIA_AGENT_FILE=line-1.json
#   sh approve-batch.sh acme/acme-pi batch.csv
#
# batch.csv has a serial number on each line, under the header "serial". The script repeats its rounds until all devices
# are approved. You can run it again: approved devices stay approved.
#
#   -p SECONDS  the pause between two rounds; default: 10
#   -n ROUNDS   the number of rounds; default: until all are approved
#
# The variable RATAFIA has the command line of `ratafia`; default: ratafia.
#
# Exit codes: 0 all devices are approved; 1 some are not, and standard error names them; 2 the arguments, the login or
# the permissions are wrong.
set -eu

pause=10
rounds=
while getopts p:n: option; do
  case $option in
    p) pause=$OPTARG ;;
    n) rounds=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
if [ $# -ne 2 ] || [ ! -r "$2" ]; then
  echo 'usage: approve-batch.sh [-p SECONDS] [-n ROUNDS] BRAND/MODEL BATCH.csv' >&2
  exit 2
fi
model=$1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
# Remove the header, carriage returns and empty lines.
tr -d '\r' <"$2" | sed -e 1d -e '/^$/d' >"$work/left"

# Approves a device. If the service refuses, it prints the reason on standard error. Returns 75 if it can succeed later.
approve() {
  status=0
  ${RATAFIA:-ratafia} devices approve "$model/$1" --json >/dev/null 2>"$work/said" </dev/null || status=$?
  case $status in
    0) return 0 ;;
    1) ;;
    # The service is busy or unavailable.
    3) return 75 ;;
    *)
      cat "$work/said" >&2
      exit 2
      ;;
  esac
  # The device has not registered yet.
  if grep -q '"code":"no-such-record"' "$work/said"; then return 75; fi
  # If the login or its permission is refused, it is refused for every device.
  if grep -Eq '"code":"(permission-denied|macaroon-[a-z-]*)"' "$work/said"; then
    cat "$work/said" >&2
    exit 2
  fi
  printf '%s/%s: ' "$model" "$1" >&2
  cat "$work/said" >&2
}

failed=0
round=0
while [ -s "$work/left" ]; do
  round=$((round + 1))
  : >"$work/later"
  while read -r serial <&3; do
    later=0
    approve "$serial" || later=$?
    if [ "$later" -eq 75 ]; then
      printf '%s\n' "$serial" >>"$work/later"
    elif [ "$later" -ne 0 ]; then
      exit "$later"
    elif [ -s "$work/said" ]; then
      failed=1
    else
      printf 'approved %s/%s\n' "$model" "$serial"
    fi
  done 3<"$work/left"
  mv "$work/later" "$work/left"
  if [ -n "$rounds" ] && [ "$round" -ge "$rounds" ]; then break; fi
  if [ -s "$work/left" ]; then sleep "$pause"; fi
done

if [ -s "$work/left" ]; then
  failed=1
  sed "s|^|not approved yet: $model/|" "$work/left" >&2
fi
exit "$failed"
