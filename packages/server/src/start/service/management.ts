/** Connects the management API with its dependencies. */
import { basename } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Config, TlsFiles } from '../../config/config.ts'
import { certificatesOf } from '../../config/tls/postgres-tls-files.ts'
import { MOST_MANAGEMENT_MS } from '../../config/values.ts'
import { type CacheFreshness, schemaState } from '../../database/index.ts'
import type { FrontFacts } from '../../http/description/service-routes.ts'
import { onlyFrom } from '../../http/limits/only-from.ts'
import { accountLimit } from '../../http/limits/rate-limit.ts'
import { managementInProcess } from '../../http/management/in-process.ts'
import type { AddManagementRoute } from '../../http/management/management-route.ts'
import { managementRoutes } from '../../http/management/management-routes.ts'
import { StreamPlaces } from '../../http/management/streamed.ts'
import type { Installation } from '../../installation.ts'
import type { Counters } from '../../limits/counters.ts'
import type { ManagementDependencies } from '../../management/dependencies.ts'
import { answerOnce } from '../../management/repeats/answer-once.ts'
import { managementTokenRoutes, managerAuthority, managerRoutes } from '../../management/routes.ts'
import { explain } from '../../management/tokens/explain.ts'
import type { ManagerAuthority } from '../../management/tokens/manager.ts'
import { rememberedManagers } from '../../management/tokens/remembered-managers.ts'
import { requireChangingToken } from '../../management/tokens/require-whole-token.ts'
import { channelsOf } from '../../reminders/reminder.ts'
import type { Surroundings } from '../../status/read-status.ts'
import type { ServedTls, TlsSource } from '../../tls/served-tls.ts'
import { forRequest, type TokenDependencies } from '../../tokens/dependencies.ts'
import { type GroupParts, MANAGEMENT_GROUPS } from '../operations/management-groups.ts'
import { addConsole } from './console.ts'

export interface ManagementParts {
  readonly app: FastifyInstance
  readonly installation: Installation
  readonly counters: Counters
  readonly freshness: CacheFreshness
  /** The certificate that this process serves; undefined without TLS. */
  readonly tls: TlsSource | undefined
  /** The facts for the page that the console shows before sign-in. */
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
        clock: installation.clock,
        explained: (read, source) => explain(read, { ...forRequest(source, tokens), ...deps, source }),
      })
      const groups: GroupParts = {
        ...{ installation, baseUrl: tokens.baseUrl, surroundings: () => surroundingsOf(tokens, parts) },
        identityLocation: tokens.identity.bundled ? tokens.identity.location : undefined,
      }
      for (const { addTo } of MANAGEMENT_GROUPS) await addTo(add, groups)
    })
  })
  if (management.console) await addConsole(tokens, { ...parts, management: deps, limit, call, places })
}

/** Leaves out addresses of databases and paths, which only users of the machine may see. */
async function surroundingsOf(
  { baseUrl }: Pick<TokenDependencies, 'baseUrl'>,
  { installation: { config, database }, freshness, tls }: ManagementParts,
): Promise<Surroundings> {
  return {
    database: { kind: database.kind, location: database.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL' },
    schema: await schemaState(database),
    // The service answers, because it is handling this request.
    answer: { url: baseUrl, ready: true },
    certificates: await namedCertificates(config),
    ...(tls && config.tls && { tls: namedTls(tls.current(), config.tls) }),
    lagMs: freshness.lag(),
    remindersBy: channelsOf(config.reminders),
  }
}

async function namedCertificates({ database }: Config): Promise<Surroundings['certificates']> {
  try {
    return (await certificatesOf(database)).map(({ file, until }) => ({ file: basename(file), until }))
  } catch {
    // They could be read when the service started.
    return undefined
  }
}

function namedTls({ pair, problem }: ServedTls, files: TlsFiles): NonNullable<Surroundings['tls']> {
  const named = [files.cert, files.key].reduce(
    (text, path) => text?.replaceAll(path, basename(path)),
    problem,
  )
  return {
    file: basename(files.cert),
    until: new Date(pair.until),
    ...(named !== undefined && { problem: named }),
  }
}
