/** A grant gives an account a role, for one brand or the whole service (contract/administration.md, B1). */
import { type AccountId, isAccountId, isRole, ROLES } from '@ratafia/api'
import type { HeldRole } from '../authority.ts'
import { invalidField } from '../errors.ts'

/** The fields that identify a grant. */
export interface GrantKey extends HeldRole {
  readonly accountId: AccountId
}

export interface Grant extends GrantKey {
  readonly grantedAt: Date
  /** A username, or `operator` for the person who runs the service. */
  readonly grantedBy: string
  /** When it expires; undefined if it does not. */
  readonly expiresAt: Date | undefined
  /** The names of agents that have the role although they were added before it was granted. */
  readonly agents: readonly string[]
}

/** A grant with the name of its account. */
export interface ListedGrant extends Grant {
  readonly username: string
}

/** Returns the id for URLs and programs: `ACCOUNT:ROLE`, with `:BRAND` if it is for one brand. */
export const grantId = ({ accountId, role, brandId }: GrantKey): string =>
  [accountId, role, ...(brandId === undefined ? [] : [brandId])].join(':')

/** Parses an id. Returns undefined for any other text. */
export function parseGrantId(text: string): GrantKey | undefined {
  const [accountId = '', role = '', brandId, ...more] = text.split(':')
  if (!isAccountId(accountId) || !isRole(role) || more.length > 0) return undefined
  return brandId === undefined || isBrandId(brandId) ? { accountId, role, brandId } : undefined
}

/** Returns the record that the API, `--json` and exports show. Times are RFC 3339 in UTC. */
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

/**
 * Checks a role. Throws `invalid-field` if it does not exist, or if it is only for the whole service and has a brand.
 */
export function checkRole(role: string, brandId: string | undefined): HeldRole {
  if (!isRole(role)) {
    throw invalidField(
      `There is no role ${JSON.stringify(role.slice(0, 64))}. The roles are ${Object.keys(ROLES).join(', ')}.`,
      { field: 'role' },
    )
  }
  if (brandId === undefined) return { role, brandId }
  if (ROLES[role].scope === 'service') {
    throw invalidField(`The role ${role} applies to the whole service. Grant it without a brand.`, {
      field: 'brand',
    })
  }
  if (isBrandId(brandId)) return { role, brandId }
  throw invalidField('A brand is an account id: at most 64 letters, digits and single dashes.', {
    field: 'brand',
  })
}

/** Whether snapd accepts the text as an account id. */
export const isBrandId = (text: string): boolean =>
  text.length <= 64 && /^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/.test(text)

/** Whether a grant has not expired. */
export const isCurrent = ({ expiresAt }: Pick<Grant, 'expiresAt'>, now: Date): boolean =>
  expiresAt === undefined || now < expiresAt
