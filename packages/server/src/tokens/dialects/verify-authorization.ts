/**
 * `POST /dev/api/acl/verify/`: whether an `Authorization` header is valid, for its holder and for the store behind this
 * service (contract/publisher-login.md, decision 21).
 */
import type { VerifyResponse } from '@ratafia/api'
import { isPermission } from '@ratafia/api'
import { RequestError } from '../../errors.ts'
import type { Authentication } from '../authentication/authentication.ts'

/** `authenticate` throws a {@link RequestError} for one that is not valid: nothing is said about its account then. */
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
