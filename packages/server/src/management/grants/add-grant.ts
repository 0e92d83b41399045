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
  /** Undefined: for the whole service. */
  readonly brand?: string | undefined
  readonly expires?: Date | undefined
  /** The names of agents of the account that get the role although they were added before. Default: none. */
  readonly agents?: readonly string[] | undefined
  /** Whether agents log in at an external identity service, which alone knows their names. Default: no. */
  readonly externalAgents?: boolean
  readonly authority: Authority
}

/**
 * Browsers that are signed in as the account are signed out, and its one-time links end. Throws {@link RequestError}:
 * `permission-denied`, `person-required`, `recent-sign-in-required`, `invalid-field` for
 * what cannot be granted, `no-such-record` for the account, `already-exists`.
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
    throw invalidField(`The grant would end at ${expires.toISOString()}, which is past.`, {
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
      // What is added to the account at this moment, such as an agent, comes before the grant or waits for it. A removal
      // that waits takes the grant with it.
      if (!(await accounts.lock(account.id))) {
        throw invalidField(`The account "${account.username}" was just removed.`, { field: 'account' })
      }
      const grant: ListedGrant = { ...wanted, grantedAt: stores.clock() }
      if (!(await grants.add(grant))) {
        throw new RequestError(
          'already-exists',
          `${account.username} has the role ${role} ${brand === undefined ? 'already' : `for ${brand} already`}. To change when it ends, remove it first.`,
          { extra: { kind: 'grant', id: grantId(grant) } },
        )
      }
      // Whoever made one may have had fewer roles than the account has now (contract/administration.md, B13).
      await oneTimeLinks.removeAllOf(account.id)
      // The role is for a sign-in that is made now (reaches.ts): the next login asks for one.
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

/** A typing mistake would leave the agent without the role. */
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

/** A typing mistake would give a role for nothing. */
async function requireBrand(brandId: string, { brands, models }: TransactionStores): Promise<void> {
  if (await brands.find(brandId)) return
  if ((await models.list()).some((model) => model.brandId === brandId)) return
  throw invalidField(
    `There is no brand ${brandId} and no model of it here. \`ratafia brands list\` shows the brands.`,
    { field: 'brand' },
  )
}
