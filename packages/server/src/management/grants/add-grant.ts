/** Gives an account a role. */

import { requireNotRemoved } from '../../accounts/account.ts'
import type { AccountStore } from '../../accounts/account-store.ts'
import { findAccount } from '../../accounts/find.ts'
import type { OneTimeLinkStore } from '../../accounts/one-time-links/link-store.ts'
import { type Authority, requireForAll, requireRecentPerson } from '../../authority.ts'
import type { BrandStore } from '../../brands/brand-store.ts'
import type { ModelStore } from '../../brands/models/model-store.ts'
import type { ChangingBy } from '../../change.ts'
import type { Clock } from '../../clock.ts'
import { invalidField, RequestError } from '../../errors.ts'
import { checkRole, grantId, type ListedGrant } from './grant.ts'
import type { GrantStore } from './grant-store.ts'

export interface GrantDeps {
  readonly accounts: AccountStore
  readonly brands: Pick<BrandStore, 'find'>
  readonly models: Pick<ModelStore, 'list'>
  readonly grants: GrantStore
  readonly changeBy: ChangingBy<{
    readonly accounts: AccountStore
    readonly grants: GrantStore
    readonly oneTimeLinks: OneTimeLinkStore
  }>
  readonly clock: Clock
}

interface WantedGrant {
  /** An id or a username. */
  readonly account: string
  readonly role: string
  /** Undefined: for the whole service. */
  readonly brand?: string | undefined
  readonly expires?: Date | undefined
  readonly authority: Authority
}

/**
 * Throws {@link RequestError}: `permission-denied`, `person-required`, `recent-sign-in-required`, `invalid-field` for
 * what cannot be granted, `no-such-record` for the account, `already-exists`.
 */
export async function addGrant(
  { account: nameOrId, role, brand, expires, authority }: WantedGrant,
  deps: GrantDeps,
): Promise<ListedGrant> {
  const now = deps.clock()
  requireForAll(authority, 'roles:manage')
  requireRecentPerson(authority, now)
  const held = checkRole(role, brand)
  if (expires && expires <= now) {
    throw invalidField(`The grant would end at ${expires.toISOString()}, which is past.`, {
      field: 'expires',
    })
  }
  if (brand !== undefined) await requireBrand(brand, deps)
  const account = requireNotRemoved(await findAccount(nameOrId, deps))
  const grant: ListedGrant = {
    ...held,
    accountId: account.id,
    username: account.username,
    grantedAt: now,
    grantedBy: authority.by,
    expiresAt: expires,
  }
  return deps.changeBy(authority.author)(async ({ accounts, grants, oneTimeLinks, record }) => {
    // A removal that comes at this moment waits, and takes the grant with it.
    if (!(await accounts.keep(account.id))) {
      throw invalidField(`The account "${account.username}" was just removed.`, { field: 'account' })
    }
    if (!(await grants.add(grant))) {
      throw new RequestError(
        'already-exists',
        `${account.username} has the role ${role} ${brand === undefined ? 'already' : `for ${brand} already`}. To change when it ends, remove it first.`,
        { extra: { kind: 'grant', id: grantId(grant) } },
      )
    }
    // Whoever made one may have had fewer roles than the account has now (contract/administration.md, B13).
    await oneTimeLinks.removeAllOf(account.id)
    await record({
      action: 'grant.add',
      subject: account.username,
      details: { grant: role, brand: brand ?? null, until: expires?.toISOString() ?? null },
    })
    return grant
  })
}

/** A typing mistake would give a role for nothing. */
async function requireBrand(
  brandId: string,
  { brands, models }: Pick<GrantDeps, 'brands' | 'models'>,
): Promise<void> {
  if (await brands.find(brandId)) return
  if ((await models.list()).some((model) => model.brandId === brandId)) return
  throw invalidField(
    `There is no brand ${brandId} and no model of it here. \`ratafia brands list\` shows the brands.`,
    { field: 'brand' },
  )
}
