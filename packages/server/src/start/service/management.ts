/** Connects the management API with what it needs. */
import type { FastifyInstance } from 'fastify'
import { accountManagementRoutes } from '../../accounts/administration/routes.ts'
import { findAccount } from '../../accounts/find.ts'
import { attentionStore } from '../../attention/attention-store.ts'
import { attentionManagementRoutes } from '../../attention/routes.ts'
import { auditManagementRoutes } from '../../audit/routes.ts'
import { brandManagementRoutes } from '../../brands/administration/brand-routes.ts'
import { modelManagementRoutes } from '../../brands/administration/model-routes.ts'
import { publisherManagementRoutes } from '../../ci/publisher-routes.ts'
import { certificatesOf } from '../../config/postgres-tls-files.ts'
import { MOST_MANAGEMENT_MS } from '../../config/values.ts'
import { counterManagementRoutes } from '../../counting/routes.ts'
import { type CacheFreshness, schemaState } from '../../database/index.ts'
import { filterIn } from '../../devices/administration/device-query.ts'
import { evidenceManagementRoutes } from '../../devices/administration/evidence-routes.ts'
import { deviceManagementRoutes } from '../../devices/administration/routes.ts'
import type { FrontFacts } from '../../http/description/service-routes.ts'
import { accountLimit } from '../../http/limits/account-limit.ts'
import { onlyFrom } from '../../http/limits/only-from.ts'
import { managementInProcess } from '../../http/management/in-process.ts'
import { instantField } from '../../http/management/instant-field.ts'
import { type AddManagementRoute, managementRoutes } from '../../http/management/management-routes.ts'
import { StreamPlaces } from '../../http/management/streamed.ts'
import { agentManagementRoutes } from '../../identity/agents/routes.ts'
import { browserManagementRoutes } from '../../identity/browsers/routes.ts'
import type { Installation } from '../../installation.ts'
import type { Counters } from '../../limits/counters.ts'
import type { ManagementDependencies } from '../../management/dependencies.ts'
import { jobRoutes } from '../../management/jobs/routes.ts'
import { answerOnce } from '../../management/repeats/answer-once.ts'
import { managementTokenRoutes, managerAuthority, managerRoutes } from '../../management/routes.ts'
import { explain } from '../../management/tokens/explain.ts'
import type { ManagerAuthority } from '../../management/tokens/manager.ts'
import { rememberedManagers } from '../../management/tokens/remembered-managers.ts'
import { requireChangingToken } from '../../management/tokens/require-changing-token.ts'
import { packageManagementRoutes } from '../../package-directory/routes.ts'
import { channelsOf } from '../../reminders/reminder.ts'
import { reminderManagementRoutes } from '../../reminders/routes.ts'
import { statusManagementRoutes } from '../../status/routes.ts'
import type { ServiceHere } from '../../status/service-status.ts'
import { sessionManagementRoutes } from '../../tokens/administration/routes.ts'
import { forRequest, type TokenDependencies } from '../../tokens/dependencies.ts'
import { RELEASE } from '../release.ts'
import { addConsole } from './console.ts'

export interface ManagementParts {
  readonly app: FastifyInstance
  readonly installation: Installation
  readonly counters: Counters
  readonly freshness: CacheFreshness
  /** For the page that the console shows to whoever is not signed in. */
  readonly front: FrontFacts
}

export async function addManagement(tokens: TokenDependencies, parts: ManagementParts): Promise<void> {
  const { app, installation, counters, freshness } = parts
  const { management, rateLimits } = installation.config
  if (!management.enabled) return
  const deps: ManagementDependencies = {
    ...tokens,
    grants: installation.grants,
    agents: installation.agents,
    managers: rememberedManagers(freshness, installation),
    lifetime: { standard: management.lifetime, most: MOST_MANAGEMENT_MS },
  }
  const limit = accountLimit(rateLimits['management-account'], counters)
  const { add: addInProcess, call } = managementInProcess<ManagerAuthority>()
  const places = new StreamPlaces()
  await app.register(async (api) => {
    if (management.from) onlyFrom(api, management.from)
    await api.register(managementTokenRoutes, deps)
    await api.register(async (signedIn) => {
      const addRoute = managementRoutes(signedIn, {
        authenticate: managerAuthority(deps, limit),
        answerOnce: (asked, work) => answerOnce(asked, work, installation),
        places,
      })
      const add: AddManagementRoute<ManagerAuthority> = (operation, answer, refuse) => {
        const allowed: typeof answer = async (asked) => {
          requireChangingToken(operation, asked)
          return answer(asked)
        }
        const unread: typeof refuse =
          refuse &&
          ((asked) => {
            requireChangingToken(operation, asked)
            return refuse(asked)
          })
        addRoute(operation, allowed, unread)
        addInProcess(operation, allowed)
      }
      managerRoutes(add, {
        ...installation,
        externalAgents: !tokens.identity.bundled,
        explained: (read, source) => explain(read, { ...forRequest(source, tokens), ...deps, source }),
      })
      sessionManagementRoutes(add, {
        ...installation,
        accountIdOf: async (nameOrId) => (await findAccount(nameOrId, installation)).id,
      })
      accountManagementRoutes(add, {
        ...installation,
        identityLocation: tokens.identity.bundled ? tokens.identity.location : undefined,
      })
      reminderManagementRoutes(add, { ...installation, sentBy: channelsOf(installation.config.reminders) })
      auditManagementRoutes(add, installation)
      agentManagementRoutes(add, installation)
      browserManagementRoutes(add, installation)
      deviceManagementRoutes(add, installation)
      evidenceManagementRoutes(add, installation)
      brandManagementRoutes(add, installation)
      modelManagementRoutes(add, installation)
      packageManagementRoutes(add, installation)
      counterManagementRoutes(add, { ...installation, counters: installation.counts })
      publisherManagementRoutes(add, { ...installation, baseUrl: tokens.baseUrl })
      attentionManagementRoutes(add, { ...installation, attention: attentionStore(installation.database) })
      statusManagementRoutes(add, { ...installation, release: RELEASE, here: hereOf(tokens, parts) })
      jobRoutes(add, {
        ...installation,
        filterIn: (asked, place) => filterIn(asked, instantField, place),
      })
    })
  })
  if (management.console) await addConsole(tokens, { ...parts, management: deps, limit, call, places })
}

const hereOf = (
  { baseUrl }: Pick<TokenDependencies, 'baseUrl'>,
  { installation: { config, database }, freshness }: ManagementParts,
): ServiceHere => ({
  baseUrl,
  database: database.kind,
  schema: () => schemaState(database),
  certificates: () => certificatesOf(config.database),
  lag: () => freshness.lag(),
  remindersBy: channelsOf(config.reminders),
})
