#!/bin/sh
# Approves the devices of one batch as they ask for their serials, and no others: for a factory line. It needs a POSIX
# shell and `ratafia`, and an agent of an account with the role device-approver for the brand:
#
#   ratafia accounts add factory --email factory@example.org --name 'Factory line' --no-password
#   ratafia grants add factory device-approver --brand acme
#   ratafia agents add line-1 --account factory --url https://store.example.org/identity --output line-1.json
#
#   export RATAFIA_URL=https://store.example.org RATAFIA_AGENT_FILE=line-1.json
#   sh approve-batch.sh acme/acme-pi batch.csv
#
# batch.csv has a serial number on each line, under the header "serial". The script goes round until all have their
# serials, and can be run again: what is approved stays approved.
#
#   -p SECONDS  the pause between two rounds; default: 10
#   -n ROUNDS   how often to go round; default: until all are approved
#
# RATAFIA is the command line of `ratafia`; default: ratafia.
#
# Exit codes: 0 all are approved, 1 some are not, and standard error names them, 2 it cannot work like this.
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
# Without the header, the ends of lines of other systems, and empty lines.
tr -d '\r' <"$2" | sed -e 1d -e '/^$/d' >"$work/left"

# Prints nothing if the device is approved, and why not if it will not be. Returns 75 if it may be later.
approve() {
  status=0
  ${RATAFIA:-ratafia} devices approve "$model/$1" --json >/dev/null 2>"$work/said" </dev/null || status=$?
  case $status in
    0) return 0 ;;
    1) ;;
    # The service is busy or away.
    3) return 75 ;;
    *)
      cat "$work/said" >&2
      exit 2
      ;;
  esac
  # It has not asked yet.
  if grep -q '"code":"no-such-record"' "$work/said"; then return 75; fi
  # A login that is refused is refused for every device.
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
