/** `GET /api/v2/tokens/whoami`: the account and the effective limits of the token that asks. */
import { isPermission, type WhoamiResponse } from '@ratafia/api'
import type { Authentication } from './authenticate.ts'

export function whoami({ account, attenuations, expires }: Authentication): WhoamiResponse {
  const { channels, packages, permissions, storeIds } = attenuations
  return {
    account: { email: account.email, id: account.id, name: account.name, username: account.username },
    channels: list(channels),
    packages: list(packages),
    // Only permissions are left of them when a macaroon is cleared; the type does not tell.
    permissions: permissions?.filter(isPermission) ?? null,
    store_ids: list(storeIds),
    // Without a zone: snapcraft appends the Z itself.
    expires: expires.toISOString().slice(0, -1),
  }
}

const list = (values: readonly string[] | null): string[] | null => values && [...values]
