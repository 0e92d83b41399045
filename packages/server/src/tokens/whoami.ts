/** `GET /api/v2/tokens/whoami`: the account and the effective limits of the token that asks. */
import { isPermission, type WhoamiResponse } from '@ratafia/api'
import type { Authentication } from './authenticate.ts'

export function whoami({ account, cleared }: Authentication): WhoamiResponse {
  const { channels, packages, permissions, storeIds } = cleared.attenuations
  return {
    account: { email: account.email, id: account.id, name: account.name, username: account.username },
    channels: list(channels),
    packages: list(packages),
    // Clearing keeps only permissions; the type does not say so.
    permissions: permissions?.filter(isPermission) ?? null,
    store_ids: list(storeIds),
    // Without a zone: snapcraft appends the Z itself.
    expires: cleared.expires.toISOString().slice(0, -1),
  }
}

const list = (values: readonly string[] | null): string[] | null => values && [...values]
