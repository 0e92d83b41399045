/** `GET /api/v2/tokens/whoami`: shows the account and the effective limits of the presented token. */
import { type ErrorCode, isPermission, type WhoamiResponse } from '@ratafia/api'
import type { Authentication } from './authentication/authentication.ts'
import type { TokenDependencies } from './dependencies.ts'

/**
 * Returns the answer, with `errors` if the token is limited to a package that does not exist here (any more).
 * Without package limits the answer is not a promise.
 */
export function whoami(
  authentication: Authentication,
  { unknownPackages }: Pick<TokenDependencies, 'unknownPackages'>,
): WhoamiResponse | Promise<WhoamiResponse> {
  const { packages } = authentication.attenuations
  return packages
    ? unknownPackages(packages).then((unknown) => describe(authentication, unknown))
    : describe(authentication, [])
}

function describe(
  { account, attenuations, expires }: Authentication,
  unknown: readonly string[],
): WhoamiResponse {
  const { channels, packages, permissions, storeIds } = attenuations
  const errors = unknown.map(packageNotFound)
  return {
    account: { email: account.email, id: account.id, name: account.name, username: account.username },
    channels: list(channels),
    packages: list(packages),
    // Clearing keeps only known permissions, which the type does not express.
    permissions: permissions?.filter(isPermission) ?? null,
    store_ids: list(storeIds),
    expires,
    ...(errors.length > 0 ? { errors } : {}),
  }
}

const list = (values: readonly string[] | null): string[] | null => values && [...values]

const packageNotFound = (id: string) => ({
  code: 'package-not-found' satisfies ErrorCode,
  message: `The token is limited to the package ${JSON.stringify(id)}, which is not in the package directory.`,
  extra: { snap_id: id },
})
