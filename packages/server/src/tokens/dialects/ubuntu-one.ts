/** The operations for clients of Ubuntu One: a root, a verification, an account (contract/publisher-login.md). */
import {
  type DeveloperAccount,
  isPermission,
  type MacaroonResponse,
  newSessionId,
  type VerifyResponse,
} from '@ratafia/api'
import { encodeBase64Url, encodeBinary } from '@ratafia/macaroon'
import type { Account } from '../../accounts/account.ts'
import { RequestError } from '../../errors.ts'
import type { Authentication } from '../authentication/authentication.ts'
import type { TokenDependencies } from '../dependencies.ts'
import { checkTokenRequest, type TokenRequest } from '../requested-token.ts'
import { mintPasswordRoot } from './password-root.ts'

/**
 * `POST /dev/api/acl/` and `/v1/tokens/usso`: issues a root macaroon that a password discharges. Writes
 * nothing. Throws {@link RequestError} `password-login-off`, and as `checkTokenRequest` does.
 */
export async function createUbuntuOneRoot(
  request: TokenRequest,
  program: AskingProgram,
  deps: TokenDependencies,
): Promise<MacaroonResponse> {
  const thirdParty = await deps.thirdParty()
  if (!thirdParty.passwordLogins) {
    throw new RequestError(
      'password-login-off',
      `This service doesn't accept passwords from programs. Get a credential with "ratafia tokens create", or see ${deps.baseUrl}/`,
    )
  }
  const { since, expires, description, attenuations, extra } = await checkTokenRequest(request, deps)
  const { root } = await mintPasswordRoot(
    {
      since,
      expires,
      sessionId: newSessionId(),
      extra,
      limits: attenuations,
      description: description ?? nameOf(program.userAgent),
      caveatLocation: loginHostFor(program, thirdParty.loginHost),
    },
    deps,
  )
  return { macaroon: encodeBase64Url(encodeBinary(root)) }
}

/**
 * Returns the first product of a User-Agent, such as `snapd/2.77`, which lets users recognise the session in a list.
 */
function nameOf(userAgent: string): string | undefined {
  const [product] = userAgent.trim().split(/\s/, 1)
  return product !== undefined && /^[!-~]{1,128}$/.test(product) ? product : undefined
}

/** The program that asks for a root, according to its headers. */
export interface AskingProgram {
  readonly host: string
  readonly userAgent: string
}

const UBUNTU_ONE = 'login.ubuntu.com'

/** The host where clients with a built-in dashboard expect to log in. */
const BY_DASHBOARD: ReadonlyMap<string, string> = new Map([
  ['dashboard.snapcraft.io', UBUNTU_ONE],
  ['dashboard.staging.snapcraft.io', 'login.staging.ubuntu.com'],
])

/**
 * Returns the location of the caveat that a password discharges. Clients compare it with the host where they
 * log in. It is only a label: it is not signed, and nothing here depends on it (decision 8).
 */
function loginHostFor({ host, userAgent }: AskingProgram, otherwise: string): string {
  const [name = ''] = host.toLowerCase().split(':', 1)
  const expected = BY_DASHBOARD.get(name)
  if (expected !== undefined) return expected
  // snapd knows only this host, whatever address it is configured with.
  return userAgent.startsWith('snapd/') ? UBUNTU_ONE : otherwise
}

/**
 * `POST /dev/api/acl/verify/`: checks an `Authorization` header, for its holder and for the store behind this
 * service (decision 21). `authenticate` throws a {@link RequestError} for an invalid one, and then the answer
 * does not describe its account.
 */
export async function verifyAuthorization(
  authenticate: () => Promise<Authentication>,
): Promise<VerifyResponse> {
  try {
    return describe(await authenticate())
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    // The header could not be checked.
    if (error.code === 'service-unavailable') throw error
    return { allowed: false, refresh_required: error.code === 'macaroon-needs-refresh' }
  }
}

function describe({ account, attenuations, expires, givenAt }: Authentication): VerifyResponse {
  const { channels, packages, permissions, storeIds } = attenuations
  const list = (values: readonly string[] | null) => values && [...values]
  return {
    allowed: true,
    refresh_required: false,
    account: {
      openid: account.id,
      email: account.email,
      displayname: account.name,
      verified: account.email !== '',
    },
    permissions: permissions?.filter(isPermission) ?? null,
    snap_ids: list(packages),
    channels: list(channels),
    store_ids: list(storeIds),
    expires: `${expires}Z`,
    last_auth: givenAt === undefined ? null : new Date(givenAt).toISOString(),
    device: null,
    device_refresh_required: false,
  }
}

/**
 * `GET /dev/api/account`: returns the account of a token, in the form that snapcraft 4 to 6 read after a
 * login. Keys and snaps belong to the store, so this service does not have any.
 */
export const developerAccount = ({ id, email, username, name }: Account): DeveloperAccount => ({
  account_id: id,
  id,
  email,
  username,
  displayname: name,
  account_keys: [],
  'account-keys': [],
  // Clients fail if the series is missing.
  snaps: { '16': {} },
})
