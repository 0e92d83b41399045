/** The error codes of the API and of the identity service, each with its one HTTP status. */

interface CodeFacts {
  readonly status: number
  /** One line for `docs/errors.md`: when it happens and what to do. */
  readonly meaning: string
}

export const ERROR_CODES = {
  'invalid-request': {
    status: 400,
    meaning:
      'The body is not JSON, or does not have the shape that this endpoint takes. The message names the field.',
  },
  'invalid-field': {
    status: 400,
    meaning: 'A field has the wrong type or a value that is not allowed. The message says which and why.',
  },
  'package-not-found': {
    status: 400,
    meaning: 'The package directory does not know a package of this name, or knows it by another id.',
  },
  'resource-not-found': {
    status: 400,
    meaning: 'Your account has no such session.',
  },
  'limit-exceeded': {
    status: 400,
    meaning:
      'A macaroon, a caveat or a list is larger than the service accepts. The message names the limit.',
  },
  'invalid-nonce': {
    status: 400,
    meaning:
      'The nonce or request-id is unknown, expired, used, or of the other kind. Get a new one and sign again.',
  },
  'invalid-assertion': {
    status: 400,
    meaning:
      'An assertion cannot be read, is not valid, or does not fit the others. The message says which and why.',
  },
  'registration-refused': {
    status: 400,
    meaning:
      'The assertions are valid, but the policy of the model does not give this device a serial. The message says why.',
  },
  'device-refused': {
    status: 400,
    meaning:
      'The device is revoked, superseded or in quarantine, so it gets no session. The message says which.',
  },
  'devices-too-many': {
    status: 400,
    meaning: 'The filter chooses more than 100,000 devices. Narrow it, for example by model or by time.',
  },
  'password-login-off': {
    status: 400,
    meaning:
      'This service takes no logins with a password (RATAFIA_PASSWORD_LOGINS=off, or an identity service that is not a Ratafia). Log in with a browser or an agent key: `ratafia login`.',
  },
  'device-service-not-allowed': {
    status: 400,
    meaning:
      '`X-Snap-Device-Service-URL` names a service that this one does not forward to. The operator lists the allowed ones in RATAFIA_DEVICE_SERVICE_URLS.',
  },
  'invalid-grant': {
    status: 400,
    meaning:
      'The ID token of a job is refused, or nothing is granted to that job. The message says what the token says; the operator finds the comparison in the audit log.',
  },
  'invalid-scope': {
    status: 400,
    meaning:
      'The exchange of an ID token asks for more than the job is granted. Ask for less, or leave it out.',
  },
  'invalid-target': {
    status: 400,
    meaning:
      '`audience` or `resource` of the exchange of an ID token is not this service. Leave them out, or send its base URL.',
  },
  'unsupported-grant-type': {
    status: 400,
    meaning:
      '`grant_type` of the exchange of an ID token is not `urn:ietf:params:oauth:grant-type:token-exchange`.',
  },
  'macaroon-authorization-required': {
    status: 401,
    meaning:
      'The request carries no macaroon, or an invalid one: malformed, forged, expired, revoked, or of a disabled account. The message says which. Log in again.',
  },
  'macaroon-needs-refresh': {
    status: 401,
    meaning:
      'The discharge of an Ubuntu One login has expired, and nothing else is wrong. Refresh it at `/api/v2/tokens/refresh`: tools do that by themselves.',
  },
  'macaroon-caveat-unknown': {
    status: 401,
    meaning:
      'The macaroon has a caveat that this service does not know and so cannot check. Present it without that caveat or log in again.',
  },
  'account-unknown': {
    status: 401,
    meaning:
      'The identity service vouched for a user who has no account here, and a first login does not make one (RATAFIA_ACCOUNTS=known). Ask the operator for an account.',
  },
  'invalid-api-key': {
    status: 401,
    meaning:
      'The model needs an API key in the header `api-key`, and it is missing, unknown, revoked, expired or used up.',
  },
  'device-session-required': {
    status: 401,
    meaning:
      'The request carries no valid device session. The message says why. snapd gets a new one by itself.',
  },
  'invalid-device-session': {
    status: 401,
    meaning:
      '`X-Device-Authorization` at a refresh is not a session of this service for this device. An operator who lost the keys sets RATAFIA_UNKNOWN_SESSIONS=ignore.',
  },
  'recent-sign-in-required': {
    status: 401,
    meaning:
      'The management API asks for a login of the last 15 minutes here. Log in again with `ratafia login`, and repeat the request.',
  },
  'permission-denied': {
    status: 403,
    meaning:
      'The management API knows who you are, and neither your roles nor your token allow this. The message names the permission and the roles that have it.',
  },
  'person-required': {
    status: 403,
    meaning:
      'Only people do this: it makes another way in. Log in with a browser; an agent, or a login of an unknown kind, may not.',
  },
  'no-such-record': {
    status: 404,
    meaning: 'There is no such record, or it belongs to a brand that your roles do not cover.',
  },
  'assertion-not-found': { status: 404, meaning: 'This service has no such assertion.' },
  'not-found': { status: 404, meaning: 'There is nothing at this path. `GET /` lists what there is.' },
  'method-not-allowed': {
    status: 405,
    meaning: 'The path exists, but not with this method. The `Allow` header lists its methods.',
  },
  'state-conflict': {
    status: 409,
    meaning:
      'The record is in a state in which this cannot be done, or somebody else has decided. The message says which state.',
  },
  'already-exists': { status: 409, meaning: 'There is a record of this name or id already.' },
  'still-referenced': {
    status: 409,
    meaning: 'Something else needs the record. The message says what, and what to do about it first.',
  },
  'selection-changed': {
    status: 409,
    meaning:
      'The filter chooses another number of devices than `expected`. Look at them again, and decide anew.',
  },
  'last-operator': {
    status: 409,
    meaning: 'Afterwards nobody could sign in and grant roles. Give another account the role operator first.',
  },
  'idempotency-key-busy': {
    status: 409,
    meaning: 'A request with this `Idempotency-Key` is still running. Wait as long as `Retry-After` says.',
  },
  'version-mismatch': {
    status: 412,
    meaning:
      'The record has changed since you read it: `If-Match` is not its `ETag`. Read it again, and decide anew.',
  },
  'request-too-large': {
    status: 413,
    meaning: 'The body is larger than this endpoint takes: 64 KiB, sessions 1 MiB, devices 4 MiB.',
  },
  'unsupported-encoding': {
    status: 415,
    meaning:
      'The body has a `Content-Encoding`, such as `gzip`. Send it uncompressed, without that header. The connection is closed.',
  },
  'idempotency-key-reused': {
    status: 422,
    meaning:
      'The `Idempotency-Key` was sent before, with another request or by another login, or its answer is not shown any more. Use a new key for a new request.',
  },
  'version-required': {
    status: 428,
    meaning:
      'A `PATCH` takes the header `If-Match`. Read the record, and send its `ETag`, so that nobody undoes a change that they have not seen.',
  },
  'too-many-requests': {
    status: 429,
    meaning:
      'Your address, its network or your account sent more requests, or more credentials that were refused, than this service allows; or your account has more at work than it may. Wait as long as `Retry-After` says.',
  },
  'headers-too-large': {
    status: 431,
    meaning: 'The request line and headers are larger than 64 KiB, or there are more than 1,000 headers.',
  },
  'internal-error': { status: 500, meaning: 'A fault of the service. It is logged; please report it.' },
  'service-unavailable': {
    status: 503,
    meaning:
      'The service could not check the request: its database or the identity service does not answer, or it is overloaded. Try again; nothing was lost.',
  },
} as const satisfies Record<string, CodeFacts>

export type ErrorCode = keyof typeof ERROR_CODES

/** The bakery's error codes, spaces included, each with its HTTP status. */
export const BAKERY_ERROR_CODES = {
  'interaction required': 401,
  'permission denied': 401,
  'bad request': 400,
  'not found': 404,
  'too many requests': 429,
  'service unavailable': 503,
  'internal error': 500,
} as const
export type BakeryErrorCode = keyof typeof BAKERY_ERROR_CODES

/**
 * The codes of logins with a password (contract/publisher-login.md, decisions 18 and 19), each with its HTTP status:
 * never 403, which charmcraft takes for a fault of its own.
 */
export const LOGIN_ERROR_CODES = {
  INVALID_DATA: {
    status: 400,
    meaning: 'A field is missing, of the wrong type, or a caveat id that is not for this service.',
  },
  INVALID_CREDENTIALS: {
    status: 401,
    meaning: 'The name or the password is wrong, or the discharge cannot be refreshed. Log in again.',
  },
  TWOFACTOR_REQUIRED: {
    status: 401,
    meaning: 'The password is right, and the account has a second factor. Send a code of it as `otp`.',
  },
  TWOFACTOR_FAILURE: {
    status: 401,
    meaning: 'The password is right, and the code is wrong, too old, or was used before.',
  },
  ACCOUNT_SUSPENDED: {
    status: 401,
    meaning: 'The password is right, and the account is disabled. Ask the operator to enable it.',
  },
  PASSWORD_LOGIN_OFF: {
    status: 401,
    meaning:
      'Programs cannot log in with a password here, or not to this account. Log in with a browser or an agent key.',
  },
  HTTPS_REQUIRED: {
    status: 401,
    meaning:
      'The request came over plain HTTP from another machine. Use https. Behind a proxy, set RATAFIA_TRUSTED_PROXIES and let it send X-Forwarded-Proto.',
  },
  REQUEST_TOO_LARGE: { status: 413, meaning: 'The body is larger than 64 KiB.' },
  TOO_MANY_REQUESTS: {
    status: 429,
    meaning: 'Too many attempts with this name, or from this network. Wait as long as `Retry-After` says.',
  },
  INTERNAL_ERROR: { status: 500, meaning: 'A fault of the service. It is logged; please report it.' },
  SERVICE_UNAVAILABLE: {
    status: 503,
    meaning: 'The service could not check the login just now. Try again; nothing was lost.',
  },
} as const satisfies Record<string, CodeFacts>
export type LoginErrorCode = keyof typeof LOGIN_ERROR_CODES
