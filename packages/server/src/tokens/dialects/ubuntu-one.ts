/** What clients of Ubuntu One ask for: a root, a verification, an account (contract/publisher-login.md). */
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
 * `POST /dev/api/acl/` and `/v1/tokens/usso`: a root macaroon that a password discharges. Writes nothing. Throws
 * {@link RequestError} `password-login-off`, and as `checkTokenRequest` does.
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
      `This service takes no passwords from programs. Get a credential with "ratafia tokens create", or see ${deps.baseUrl}/`,
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

/** The first product of a User-Agent, such as `snapd/2.77`: a session has to be recognised in a list. */
function nameOf(userAgent: string): string | undefined {
  const [product] = userAgent.trim().split(/\s/, 1)
  return product !== undefined && /^[!-~]{1,128}$/.test(product) ? product : undefined
}

/** The program that asks for a root, as its headers say. */
export interface AskingProgram {
  readonly host: string
  readonly userAgent: string
}

const UBUNTU_ONE = 'login.ubuntu.com'

/** Where clients with a built-in dashboard expect to log in. */
const BY_DASHBOARD: ReadonlyMap<string, string> = new Map([
  ['dashboard.snapcraft.io', UBUNTU_ONE],
  ['dashboard.staging.snapcraft.io', 'login.staging.ubuntu.com'],
])

/**
 * The location of the caveat that a password discharges: the host that clients compare with the one they log in at. It
 * is a label: nothing signs it, and nothing depends on it here (decision 8).
 */
function loginHostFor({ host, userAgent }: AskingProgram, otherwise: string): string {
  const [name = ''] = host.toLowerCase().split(':', 1)
  const expected = BY_DASHBOARD.get(name)
  if (expected !== undefined) return expected
  // It knows this one alone, whatever address it was sent to.
  return userAgent.startsWith('snapd/') ? UBUNTU_ONE : otherwise
}

/**
 * `POST /dev/api/acl/verify/`: whether an `Authorization` header is valid, for its holder and for the store behind this
 * service (decision 21). `authenticate` throws a {@link RequestError} for an invalid one: then nothing is said about its
 * account.
 */
export async function verifyAuthorization(
  authenticate: () => Promise<Authentication>,
): Promise<VerifyResponse> {
  try {
    return describe(await authenticate())
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    // It was not checked.
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
 * `GET /dev/api/account`: the account of a token, as snapcraft 4 to 6 read it after a login. Keys and snaps are the
 * store's: this service knows none.
 */
export const developerAccount = ({ id, email, username, name }: Account): DeveloperAccount => ({
  account_id: id,
  id,
  email,
  username,
  displayname: name,
  account_keys: [],
  'account-keys': [],
  // Without the series, its clients fail.
  snaps: { '16': {} },
})
