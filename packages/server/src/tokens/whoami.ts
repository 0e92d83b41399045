/** `GET /api/v2/tokens/whoami`: the account and the effective limits of the token that asks. */
import { type ErrorCode, isPermission, type WhoamiResponse } from '@ratafia/api'
import type { Authentication } from './authentication/authentication.ts'
import type { TokenDependencies } from './dependencies.ts'

/**
 * `errors` is there if a limit of the token is to something that does not exist here, or no longer. Without limits to
 * packages the answer is there at once.
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
    // Clearing keeps only permissions; the type does not say so.
    permissions: permissions?.filter(isPermission) ?? null,
    store_ids: list(storeIds),
    expires,
    ...(errors.length > 0 ? { errors } : {}),
  }
}

const list = (values: readonly string[] | null): string[] | null => values && [...values]

const packageNotFound = (id: string) => ({
  code: 'package-not-found' satisfies ErrorCode,
  message: `The token is limited to the package ${JSON.stringify(id)}, which the package directory does not know.`,
  extra: { snap_id: id },
})
