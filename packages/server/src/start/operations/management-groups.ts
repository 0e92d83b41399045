/** The management API's operations in groups: the service loads all, a command on the database the one it calls. */
import type { AddManagementRoute } from '../../http/management/management-route.ts'
import type { Installation } from '../../installation.ts'
import type { JobAuthority } from '../../management/jobs/make-job.ts'
import type { Surroundings } from '../../status/read-status.ts'
import { RELEASE } from '../release/release.ts'

export interface GroupParts {
  readonly installation: Installation
  /** The service's URL, without a trailing slash. */
  readonly baseUrl: string
  /** The URL of the identity service; undefined if an external one manages the passwords. */
  readonly identityLocation: string | undefined
  /** Returns the facts about this process. */
  readonly surroundings: () => Promise<Surroundings>
}

interface Group {
  /** The prefixes of its paths. An operation belongs to the group with the longest matching prefix. */
  readonly below: readonly string[]
  readonly addTo: (add: AddManagementRoute<JobAuthority>, parts: GroupParts) => Promise<void>
}

/** All groups, without the operations about the caller, which are in `managerRoutes`. */
export const MANAGEMENT_GROUPS: readonly Group[] = [
  {
    below: ['/tokens', '/me/tokens'],
    addTo: async (add, { installation }) => {
      const { findAccount } = await import('../../accounts/find.ts')
      const { sessionManagementRoutes } = await import('../../tokens/administration/routes.ts')
      sessionManagementRoutes(add, {
        ...installation,
        accountIdOf: async (nameOrId) => (await findAccount(nameOrId, installation)).id,
      })
    },
  },
  {
    below: ['/accounts', '/account-summaries'],
    addTo: async (add, { installation, identityLocation }) => {
      const { accountManagementRoutes } = await import('../../accounts/administration/routes.ts')
      accountManagementRoutes(add, { ...installation, identityLocation })
    },
  },
  {
    below: ['/me/reminders'],
    addTo: async (add, { installation }) => {
      const { channelsOf } = await import('../../reminders/reminder.ts')
      const { reminderManagementRoutes } = await import('../../reminders/routes.ts')
      reminderManagementRoutes(add, { ...installation, sentBy: channelsOf(installation.config.reminders) })
    },
  },
  {
    below: ['/grants'],
    addTo: async (add, { installation }) => {
      const { grantManagementRoutes } = await import('../../management/grants/routes.ts')
      grantManagementRoutes(add, {
        ...installation,
        externalAgents: installation.config.identity !== undefined,
      })
    },
  },
  {
    below: ['/audit'],
    addTo: async (add, { installation }) =>
      (await import('../../audit/routes.ts')).auditManagementRoutes(add, installation),
  },
  {
    below: ['/accounts/:id/agents', '/me/agents'],
    addTo: async (add, { installation }) =>
      (await import('../../identity/agents/routes.ts')).agentManagementRoutes(add, installation),
  },
  {
    below: ['/me/browsers'],
    addTo: async (add, { installation }) =>
      (await import('../../identity/browsers/routes.ts')).browserManagementRoutes(add, installation),
  },
  {
    below: ['/devices'],
    addTo: async (add, { installation }) =>
      (await import('../../devices/administration/routes.ts')).deviceManagementRoutes(add, installation),
  },
  {
    below: ['/clone-evidence'],
    addTo: async (add, { installation }) =>
      (await import('../../devices/administration/evidence-routes.ts')).evidenceManagementRoutes(
        add,
        installation,
      ),
  },
  {
    below: ['/brands', '/signing-keys', '/trust-roots', '/hardware-identities'],
    addTo: async (add, { installation }) =>
      (await import('../../brands/administration/brand-routes.ts')).brandManagementRoutes(add, installation),
  },
  {
    below: ['/models'],
    addTo: async (add, { installation }) =>
      (await import('../../brands/administration/model-routes.ts')).modelManagementRoutes(add, installation),
  },
  {
    below: ['/packages'],
    addTo: async (add, { installation }) =>
      (await import('../../package-directory/routes.ts')).packageManagementRoutes(add, installation),
  },
  {
    below: ['/counters'],
    addTo: async (add, { installation }) => {
      const { counterManagementRoutes } = await import('../../counting/routes.ts')
      counterManagementRoutes(add, { ...installation, counters: installation.counts })
    },
  },
  {
    below: ['/issuers', '/me/publishers'],
    addTo: async (add, { installation, baseUrl }) => {
      const { publisherManagementRoutes } = await import('../../ci/publisher-routes.ts')
      publisherManagementRoutes(add, { ...installation, baseUrl })
    },
  },
  {
    below: ['/attention'],
    addTo: async (add, { installation }) => {
      const { attentionStore } = await import('../../attention/attention-store.ts')
      const { attentionManagementRoutes } = await import('../../attention/routes.ts')
      attentionManagementRoutes(add, { ...installation, attention: attentionStore(installation.database) })
    },
  },
  {
    below: ['/status'],
    addTo: async (add, { installation, surroundings }) => {
      const { statusManagementRoutes } = await import('../../status/routes.ts')
      statusManagementRoutes(add, { ...installation, release: RELEASE, surroundings })
    },
  },
  {
    below: ['/jobs', '/audit/verify'],
    addTo: async (add, { installation }) => {
      const { filterIn } = await import('../../devices/administration/device-query.ts')
      const { instantField } = await import('../../http/management/instant-text.ts')
      const { jobRoutes } = await import('../../management/jobs/routes.ts')
      jobRoutes(add, {
        ...installation,
        filterIn: (asked, place) => filterIn(asked, instantField, place),
      })
    },
  },
]

/** Returns the group of a path from the table of operations. */
export function groupOf(path: string): Group | undefined {
  const beginning = ({ below }: Group) =>
    Math.max(...below.map((start) => (path === start || path.startsWith(`${start}/`) ? start.length : 0)))
  const [group] = MANAGEMENT_GROUPS.toSorted((a, b) => beginning(b) - beginning(a))
  return group && beginning(group) > 0 ? group : undefined
}
