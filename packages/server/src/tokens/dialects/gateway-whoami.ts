/** `GET /v1/tokens/whoami`: what a token is for, as publisher gateways say it (contract/publisher-login.md, decision 23). */
import { type GatewayWhoami, isPermission } from '@ratafia/api'
import type { Authentication } from '../authentication/authentication.ts'

/** Without its end: snapcraft appends a "Z" to a time, and expects none here. */
export function gatewayWhoami({ account, attenuations }: Authentication): GatewayWhoami {
  const { channels, packages, permissions } = attenuations
  return {
    account: {
      id: account.id,
      username: account.username,
      email: account.email,
      'display-name': account.name,
      validation: 'unproven',
    },
    channels: channels && [...channels],
    // charmcraft stops at a package without a type, and a token does not keep one.
    packages: packages?.map((id) => ({ type: 'charm' as const, id })) ?? null,
    permissions: permissions?.filter(isPermission) ?? null,
  }
}
