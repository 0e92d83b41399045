#!/bin/sh
# Logs a CI job in to Ratafia without a stored secret. It gets the job's ID token from the platform, exchanges it, and
# prints the credential, with two curl calls. It needs only a POSIX shell and curl 7.55 or newer.
#
#   SNAPCRAFT_STORE_CREDENTIALS=$(sh ratafia-login.sh -u https://store.example.com)
#   export SNAPCRAFT_STORE_CREDENTIALS
#
#   -u URL       the service; default: $RATAFIA_URL
#   -f FORMAT    u1 (default, for snapcraft) or macaroon (for SNAPCRAFT_STORE_AUTH=onprem)
#   -r RULE      the rule to use, if several match the job
#   -a AUDIENCE  the audience of the ID token; default: the URL
#
# Platforms: GitHub, Forgejo, GitLab, CircleCI, Buildkite, Bitbucket, Azure DevOps, Jenkins, Kubernetes, Google Cloud.
# README.md next to this file lists what the job needs on each.
set -eu

# Foreign text must not become a command to the platform, which recognises ##[...] and ##vso[...] anywhere in a line.
fail() {
  printf 'ratafia-login: %s\n' "$1" | sed 's/##/#?/g' >&2
  exit 1
}

# Makes the platform show *** instead of the value from now on. These lines themselves don't appear in its log.
hide() {
  if [ -n "${GITHUB_ACTIONS:-}" ]; then
    printf '::add-mask::%s\n' "$1" >&2
  elif [ -n "${TF_BUILD:-}" ]; then
    printf '##vso[task.setsecret]%s\n' "$1" >&2
  elif [ -n "${BUILDKITE:-}" ]; then
    # Agents before 3.67 can't do this.
    printf '%s\n' "$1" | buildkite-agent redactor add >/dev/null 2>&1 || :
  fi
}

# Secrets are only sent over https or to this machine.
check_address() {
  case $1 in
    https://?*) return ;;
    http://*@*) ;;
    http://127.0.0.1[:/]* | http://127.0.0.1 | http://localhost[:/]* | http://localhost) return ;;
  esac
  fail "$2 is not an https address: $1"
}

# Prints the body, a space, and the status. -q ignores the user's settings. Without -L, curl follows no redirect.
ask() {
  curl -q -sS --max-time 30 -w ' %{http_code}' "$@"
}

# Prints the ID token in the field $1 of a platform's answer, and nothing else of it. Returns 75 if a retry can succeed.
field_of_answer() {
  field=$1
  shift
  answer=$(ask "$@") || return 75
  case ${answer##* } in
    200) text_of "$field" ;;
    429 | 50[234]) return 75 ;;
    *) fail "the platform gives this job no ID token: it answered with status ${answer##* }" ;;
  esac
}

# Prints a text field of the answer, which is JSON. The fields used here can't contain a quote or a backslash.
text_of() {
  printf %s "${answer% *}" | tr -d '\r\n' | sed -n "s/.*\"$1\" *: *\"\([^\"]*\)\".*/\1/p"
}

# Prints the job's ID token. Secrets reach curl through standard input, because every process can read its arguments.
id_token() {
  if [ -n "${RATAFIA_ID_TOKEN:-}" ]; then # GitLab, Jenkins
    printf %s "$RATAFIA_ID_TOKEN"
  elif [ -n "${ACTIONS_ID_TOKEN_REQUEST_URL:-}" ]; then # GitHub, Forgejo
    printf 'Authorization: Bearer %s\n' "$ACTIONS_ID_TOKEN_REQUEST_TOKEN" |
      field_of_answer value -H @- -G --data-urlencode "audience=$audience" "$ACTIONS_ID_TOKEN_REQUEST_URL"
  elif [ -n "${CIRCLECI:-}" ]; then
    circleci run oidc get --claims "{\"aud\":\"$audience\"}"
  elif [ -n "${BUILDKITE:-}" ]; then
    buildkite-agent oidc request-token --audience "$audience" --claim organization_id,pipeline_id
  elif [ -n "${BITBUCKET_STEP_OIDC_TOKEN:-}" ]; then
    printf %s "$BITBUCKET_STEP_OIDC_TOKEN"
  elif [ -n "${SYSTEM_OIDCREQUESTURI:-}" ]; then # Azure DevOps, which has its own audience
    printf 'Authorization: Bearer %s\n' "$SYSTEM_ACCESSTOKEN" |
      field_of_answer oidcToken -H @- -H 'Content-Type: application/json' -d '' "$SYSTEM_OIDCREQUESTURI?api-version=7.1"
  elif [ -r "$id_token_file" ]; then # Kubernetes
    cat "$id_token_file"
  elif [ -n "${GITHUB_ACTIONS:-}${GITLAB_CI:-}${BITBUCKET_BUILD_NUMBER:-}${TF_BUILD:-}" ]; then
    fail 'this job may not request ID tokens. README.md lists what each platform needs'
  else # Google Cloud, over plain http, but the request has no secret, and the answer comes from this machine's host
    path=computeMetadata/v1/instance/service-accounts/default/identity
    answer=$(ask -H 'Metadata-Flavor: Google' -G --data-urlencode "audience=$audience" -d format=full \
      "http://${GCE_METADATA_HOST:-metadata.google.internal}/$path") || :
    [ "${answer##* }" = 200 ] || fail 'no platform is recognised, and there is no metadata server of Google Cloud'
    printf %s "${answer% *}"
  fi
}

exchange() {
  printf %s "$token" | ask -H 'Accept: text/plain' -H "Idempotency-Key: $key" \
    --data-urlencode subject_token@- \
    --data-urlencode grant_type=urn:ietf:params:oauth:grant-type:token-exchange \
    --data-urlencode subject_token_type=urn:ietf:params:oauth:token-type:id_token \
    --data-urlencode "requested_token_type=$type" \
    ${rule:+--data-urlencode "rule=$rule"} \
    "$url/api/v2/tokens/oidc"
}

url=${RATAFIA_URL:-} format=u1 rule='' audience=''
while getopts u:f:r:a: option; do
  case $option in
    u) url=$OPTARG ;;
    f) format=$OPTARG ;;
    r) rule=$OPTARG ;;
    a) audience=$OPTARG ;;
    *) fail 'the options are -u URL, -f FORMAT, -r RULE and -a AUDIENCE' ;;
  esac
done
case $format in
  u1) type=urn:ratafia:token-type:macaroon-pair ;;
  macaroon) type=urn:ietf:params:oauth:token-type:access_token ;;
  *) fail "the format $format is neither u1 nor macaroon" ;;
esac
[ -n "$url" ] || fail 'give the address of the service with -u, or in RATAFIA_URL'
url=${url%/}
audience=${audience:-$url}
id_token_file=${RATAFIA_ID_TOKEN_FILE:-/var/run/secrets/ratafia/token}
check_address "$url" 'the service'
check_address "${ACTIONS_ID_TOKEN_REQUEST_URL:-https://x}" ACTIONS_ID_TOKEN_REQUEST_URL
check_address "${SYSTEM_OIDCREQUESTURI:-https://x}" SYSTEM_OIDCREQUESTURI

# If an answer is lost, the same ID token and the same key get another token of the same session.
key=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')

# Retry for a minute at most, each time with a new ID token if the platform issues one.
for pause in 1 2 4 8 16 none; do
  answer=' 000' code=0
  token=$(id_token) || code=$?
  case $code in
    0)
      case $token in
        '' | *[!A-Za-z0-9._-]*) fail 'the platform returned something other than an ID token' ;;
      esac
      hide "$token"
      answer=$(exchange) || :
      ;;
    75) ;;
    *) exit 1 ;;
  esac
  case ${answer##* }$pause in
    000[1-9]* | 429[1-9]* | 50[234][1-9]*) sleep "$pause" ;;
    *) break ;;
  esac
done

status=${answer##* }
credentials=${answer% *}
if [ "$status" != 200 ]; then
  why=$(text_of error_description)
  audit=$(text_of audit)
  fail "$url: ${why:-no credential (status $status)}${audit:+ The operator can find more in the audit entry $audit.}"
fi
case $credentials in
  '' | *[!A-Za-z0-9+/=_-]*) fail "$url returned something other than a credential" ;;
esac
hide "$credentials"
# A tool could print the parts of the credential, so hide them.
printf %s "$credentials" | base64 -d 2>/dev/null | tr '"' '\n' | while read -r part || [ -n "$part" ]; do
  [ ${#part} -lt 40 ] || hide "$part"
done
printf '%s\n' "$credentials"
