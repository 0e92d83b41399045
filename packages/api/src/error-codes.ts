/** The error codes of the API and of the identity service, each with its one HTTP status. */

interface CodeFacts {
  readonly status: number
  /** The text for `docs/errors.md`: when it happens and what to do. */
  readonly meaning: string
}

/** Returns the facts about codes with this status, from the meaning of each. */
const withStatus = <Codes extends string>(status: number, meanings: Readonly<Record<Codes, string>>) =>
  // The keys are those of `meanings`.
  Object.fromEntries(
    Object.entries<string>(meanings).map(([code, meaning]) => [code, { status, meaning }]),
  ) as Readonly<Record<Codes, CodeFacts>>

export const ERROR_CODES = {
  ...withStatus(400, {
    'invalid-request':
      'The body is not JSON, or does not have the form that this endpoint requires. The message names the field.',
    'invalid-field':
      'A field has the wrong type or a value that is not allowed. The message names the field and the reason.',
    'package-not-found':
      'The package directory has no package with this name, or has it with a different id.',
    'resource-not-found': 'Your account has no such session.',
    'limit-exceeded':
      'A macaroon, a caveat or a list is larger than the service accepts. The message names the limit.',
    'invalid-nonce':
      'The nonce or request-id is unknown, expired, used, or of the other kind. Get a new one and sign again.',
    'invalid-assertion':
      'An assertion cannot be read, is invalid, or does not match the others. The message names it and the reason.',
    'registration-refused':
      'The assertions are valid, but the policy of the model refuses this device a serial. The message has the reason.',
    'device-refused':
      'The device is revoked, superseded or in quarantine, so it cannot open a session. The message names the state.',
    'devices-too-many':
      'The filter selects more than 100,000 devices. Narrow it, for example by model or by time.',
    'password-login-off':
      'This service does not accept logins with a password (RATAFIA_PASSWORD_LOGINS=off, or an identity service other than Ratafia). Log in with a browser or an agent key: `ratafia login`.',
    'device-service-not-allowed':
      '`X-Snap-Device-Service-URL` names a service that this one does not forward to. The operator lists the allowed ones in RATAFIA_DEVICE_SERVICE_URLS.',
    'invalid-grant':
      'The ID token of a job is refused, or no rule grants that job anything. The message shows what the token contains; the operator finds the comparison in the audit log.',
    'invalid-scope':
      'The exchange of an ID token requests more than the job is granted. Request less, or leave it out.',
    'invalid-target':
      '`audience` or `resource` in the exchange of an ID token is not this service. Leave it out, or send the base URL of this service.',
    'unsupported-grant-type':
      '`grant_type` in the exchange of an ID token is not `urn:ietf:params:oauth:grant-type:token-exchange`.',
  }),
  ...withStatus(401, {
    'macaroon-authorization-required':
      'The request carries no macaroon, or an invalid one: malformed, forged, expired, revoked, or of a disabled account. The message has the reason. Log in again.',
    'macaroon-needs-refresh':
      'The discharge of an Ubuntu One login has expired, and nothing else is wrong. Refresh it at `/api/v2/tokens/refresh`; tools do this by themselves.',
    'macaroon-caveat-unknown':
      'The macaroon has a caveat that this service does not know, so it cannot check it. Present it without that caveat or log in again.',
    'account-unknown':
      'The identity service vouched for a user who has no account here, and a first login does not create one (RATAFIA_ACCOUNTS=known). Ask the operator for an account.',
    'invalid-api-key':
      'The model requires an API key in the header `api-key`, and it is missing, unknown, revoked, expired or used up.',
    'device-session-required':
      'The request carries no valid device session. The message has the reason. snapd gets a new one by itself.',
    'invalid-device-session':
      '`X-Device-Authorization` in a refresh is not a session of this service for this device. An operator who lost the keys sets RATAFIA_UNKNOWN_SESSIONS=ignore.',
    'recent-sign-in-required':
      'This operation of the management API requires a login of the last 15 minutes. Log in again with `ratafia login` and repeat the request.',
  }),
  ...withStatus(403, {
    'permission-denied':
      'The management API knows who you are, but your roles or your token do not allow this. The message names the permission and the roles that have it.',
    'person-required':
      'Only people can do this, because it creates a credential or grants permissions. Log in with a browser; an agent, or a login of an unknown kind, is refused.',
  }),
  ...withStatus(404, {
    'no-such-record': 'There is no such record, or it belongs to a brand that your roles do not cover.',
    'assertion-not-found': 'This service has no such assertion.',
    'not-found': 'There is nothing at this path. `GET /` lists what there is.',
  }),
  ...withStatus(405, {
    'method-not-allowed':
      'The path exists, but does not support this method. The `Allow` header lists its methods.',
  }),
  ...withStatus(409, {
    'state-conflict':
      'The state of the record does not allow this, or another user has decided already. The message names the state.',
    'already-exists': 'There is already a record with this name or id.',
    'still-referenced': 'Another record needs this one. The message names it, and what to do about it first.',
    'selection-changed':
      'The filter selects a different number of devices than `expected`. Look at them again, then decide again.',
    'last-operator':
      'Afterwards no account could sign in and grant roles. Give another account the role operator first.',
    'idempotency-key-busy':
      'A request with this `Idempotency-Key` is still running. Wait for the time in `Retry-After`.',
  }),
  ...withStatus(412, {
    'version-mismatch':
      'The record has changed since you read it: `If-Match` is not its `ETag`. Read it again, then decide again.',
  }),
  ...withStatus(413, {
    'request-too-large':
      'The body is larger than this endpoint accepts: 64 KiB, sessions 1 MiB, devices 4 MiB.',
  }),
  ...withStatus(415, {
    'unsupported-encoding':
      'The body has a `Content-Encoding`, such as `gzip`. Send it uncompressed, without that header. The connection is closed.',
  }),
  ...withStatus(422, {
    'idempotency-key-reused':
      'The `Idempotency-Key` was already sent with another request or by another login, or its answer is not shown any more. Use a new key for a new request.',
  }),
  ...withStatus(428, {
    'version-required':
      'A `PATCH` requires the header `If-Match`. Read the record and send its `ETag`, so that you do not undo a change that you have not seen.',
  }),
  ...withStatus(429, {
    'too-many-requests':
      'Your address, its network or your account sent more requests, or more refused credentials, than this service allows; or your account has too many jobs or exports running. Wait for the time in `Retry-After`.',
  }),
  ...withStatus(431, {
    'headers-too-large':
      'The request line and headers are larger than 64 KiB, or there are more than 1,000 headers.',
  }),
  ...withStatus(500, {
    'internal-error': 'An internal error. It is logged; report it to the operator.',
  }),
  ...withStatus(503, {
    'service-unavailable':
      'The service could not check the request: its database or the identity service does not answer, or it is overloaded. Try again; nothing was lost.',
  }),
}

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
 * The codes of logins with a password (contract/publisher-login.md, decisions 18 and 19), each with its HTTP
 * status: never 403, which charmcraft reports as a bug of its own.
 */
export const LOGIN_ERROR_CODES = {
  ...withStatus(400, {
    INVALID_DATA: 'A field is missing or has the wrong type, or a caveat id is not for this service.',
  }),
  ...withStatus(401, {
    INVALID_CREDENTIALS:
      'The name or the password is wrong, or the discharge cannot be refreshed. Log in again.',
    TWOFACTOR_REQUIRED:
      'The password is correct, but the account has a second factor. Send a code of it as `otp`.',
    TWOFACTOR_FAILURE: 'The password is correct, but the code is wrong, too old, or was used before.',
    ACCOUNT_SUSPENDED: 'The password is correct, but the account is disabled. Ask the operator to enable it.',
    PASSWORD_LOGIN_OFF:
      'Programs cannot log in with a password here, or not to this account. Log in with a browser or an agent key.',
    HTTPS_REQUIRED:
      'The request came over plain HTTP from another machine. Use https. Behind a proxy, set RATAFIA_TRUSTED_PROXIES and let it send X-Forwarded-Proto.',
  }),
  ...withStatus(413, {
    REQUEST_TOO_LARGE: 'The body is larger than 64 KiB.',
  }),
  ...withStatus(429, {
    TOO_MANY_REQUESTS:
      'Too many attempts with this name, or from this network. Wait for the time in `Retry-After`.',
  }),
  ...withStatus(500, {
    INTERNAL_ERROR: 'An internal error. It is logged; report it to the operator.',
  }),
  ...withStatus(503, {
    SERVICE_UNAVAILABLE: 'The service could not check the login just now. Try again; nothing was lost.',
  }),
}
export type LoginErrorCode = keyof typeof LOGIN_ERROR_CODES
