/** Gives an account a role. */
import { type Account, requireNotRemoved } from '../../accounts/account.ts'
import { findAccount } from '../../accounts/find.ts'
import { type Authority, requireForAll, requireRecentPerson } from '../../authority.ts'
import { invalidField, RequestError } from '../../errors.ts'
import { checkRole, grantId, type ListedGrant } from '../../grants/grant.ts'
import { isAgentName } from '../../identity/agents/agent-name.ts'
import type { Stores, TransactionStores } from '../../stores.ts'

interface WantedGrant {
  /** An id or a username. */
  readonly account: string
  readonly role: string
  /** The brand; undefined for the whole service. */
  readonly brand?: string | undefined
  readonly expires?: Date | undefined
  /** Names of the account's agents that get the role although they were added before it. Default: none. */
  readonly agents?: readonly string[] | undefined
  /** Whether agents log in at an external identity service, which alone knows their names. Default: no. */
  readonly externalAgents?: boolean
  readonly authority: Authority
}

/**
 * Grants the role, signs out the account's browsers and revokes its one-time links. Throws `permission-denied`,
 * `person-required`, `recent-sign-in-required`, `invalid-field` for what cannot be granted, `no-such-record` for the
 * account, `already-exists`.
 */
export async function addGrant(
  { account: nameOrId, role, brand, expires, agents = [], externalAgents = false, authority }: WantedGrant,
  stores: Stores,
): Promise<ListedGrant> {
  const now = stores.clock()
  requireForAll(authority, 'roles:manage')
  requireRecentPerson(authority, now)
  const held = checkRole(role, brand)
  if (expires && expires <= now) {
    throw invalidField(`The grant would expire at ${expires.toISOString()}, which is in the past.`, {
      field: 'expires',
    })
  }
  if (brand !== undefined) await requireBrand(brand, stores)
  const account = requireNotRemoved(await findAccount(nameOrId, stores))
  for (const name of agents) {
    if (!externalAgents || !isAgentName(name)) await requireAgentOf(account, name, stores)
  }
  const wanted = {
    ...held,
    agents: [...new Set(agents)].sort(),
    accountId: account.id,
    username: account.username,
    grantedBy: authority.by,
    expiresAt: expires,
  }
  return stores.changeBy(authority.author)(
    async ({ accounts, grants, oneTimeLinks, signInSessions, record }) => {
      // A concurrent change to the account, such as a new agent, comes before the grant or waits for it. A
      // removal that waits also removes the grant.
      if (!(await accounts.lock(account.id))) {
        throw invalidField(`The account "${account.username}" was just removed.`, { field: 'account' })
      }
      const grant: ListedGrant = { ...wanted, grantedAt: stores.clock() }
      if (!(await grants.add(grant))) {
        throw new RequestError(
          'already-exists',
          `${account.username} already has the role ${role}${brand === undefined ? '' : ` for ${brand}`}. To change its expiry, remove it first.`,
          { extra: { kind: 'grant', id: grantId(grant) } },
        )
      }
      // The author of such a link may have had fewer roles than the account now has (contract/administration.md, B13).
      await oneTimeLinks.removeAllOf(account.id)
      // The role requires a new sign-in (reaches.ts), which the next login asks for.
      await signInSessions.removeAllOf(account.id)
      await record({
        action: 'grant.add',
        subject: account.username,
        details: {
          grant: role,
          brand: brand ?? null,
          until: expires?.toISOString() ?? null,
          ...(grant.agents.length > 0 && { agents: grant.agents.join(' ') }),
        },
      })
      return grant
    },
  )
}

/** Because of a typo, the agent would not get the role. */
async function requireAgentOf(
  { id, username }: Account,
  name: string,
  { agents }: TransactionStores,
): Promise<void> {
  const agent = isAgentName(name) ? await agents.find(name) : undefined
  if (agent?.accountId === id) return
  throw invalidField(
    `The account "${username}" has no agent ${JSON.stringify(name.slice(0, 64))}. \`ratafia agents list --account ${username}\` shows its agents.`,
    { field: 'agents' },
  )
}

/** Because of a typo, the role would have no effect. */
async function requireBrand(brandId: string, { brands, models }: TransactionStores): Promise<void> {
  if (await brands.find(brandId)) return
  if ((await models.list()).some((model) => model.brandId === brandId)) return
  throw invalidField(`There is no brand ${brandId}. \`ratafia brands list\` shows the brands.`, {
    field: 'brand',
  })
}
