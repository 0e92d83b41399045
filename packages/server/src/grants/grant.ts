/** A grant: an account has a role, for one brand or for the whole service (contract/administration.md, B1). */
import { type AccountId, isAccountId, isRole, ROLES } from '@ratafia/api'
import type { HeldRole } from '../authority.ts'
import { invalidField } from '../errors.ts'

/** What makes a grant the one it is. */
export interface GrantKey extends HeldRole {
  readonly accountId: AccountId
}

export interface Grant extends GrantKey {
  readonly grantedAt: Date
  /** A username, or `operator` for whoever runs the service. */
  readonly grantedBy: string
  /** From then on it gives nothing. Undefined: it has no end. */
  readonly expiresAt: Date | undefined
  /** The names of agents that have the role although they were added before it was given. */
  readonly agents: readonly string[]
}

/** A grant with the name of its account. */
export interface ListedGrant extends Grant {
  readonly username: string
}

/** For an address, and for programs: `ACCOUNT:ROLE`, with `:BRAND` where it is for one. */
export const grantId = ({ accountId, role, brandId }: GrantKey): string =>
  [accountId, role, ...(brandId === undefined ? [] : [brandId])].join(':')

/** Undefined for any other text. */
export function parseGrantId(text: string): GrantKey | undefined {
  const [accountId = '', role = '', brandId, ...more] = text.split(':')
  if (!isAccountId(accountId) || !isRole(role) || more.length > 0) return undefined
  return brandId === undefined || isBrandId(brandId) ? { accountId, role, brandId } : undefined
}

/** As the API, `--json` and exports show it. Times are RFC 3339 in UTC. */
export const grantRecord = (grant: ListedGrant) => ({
  id: grantId(grant),
  account_id: grant.accountId,
  account: grant.username,
  role: grant.role,
  brand: grant.brandId ?? null,
  granted_at: grant.grantedAt.toISOString(),
  granted_by: grant.grantedBy,
  expires_at: grant.expiresAt?.toISOString() ?? null,
  agents: grant.agents,
})

/** Throws `invalid-field` for no role, or for a role that is only for the whole service, with a brand. */
export function checkRole(role: string, brandId: string | undefined): HeldRole {
  if (!isRole(role)) {
    throw invalidField(
      `There is no role ${JSON.stringify(role.slice(0, 64))}. The roles are ${Object.keys(ROLES).join(', ')}.`,
      { field: 'role' },
    )
  }
  if (brandId === undefined) return { role, brandId }
  if (ROLES[role].scope === 'service') {
    throw invalidField(`The role ${role} is for the whole service: grant it without a brand.`, {
      field: 'brand',
    })
  }
  if (isBrandId(brandId)) return { role, brandId }
  throw invalidField('A brand is an account id: letters, digits and single dashes, at most 64.', {
    field: 'brand',
  })
}

/** As snapd takes ids of accounts. */
export const isBrandId = (text: string): boolean =>
  text.length <= 64 && /^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/.test(text)

/** Whether it still gives what it says. */
export const isCurrent = ({ expiresAt }: Pick<Grant, 'expiresAt'>, now: Date): boolean =>
  expiresAt === undefined || now < expiresAt
