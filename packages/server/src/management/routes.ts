/** Routes for management tokens and their holders. */
import { hash } from 'node:crypto'
import {
  type Explanation,
  MANAGEMENT_OPERATIONS,
  MANAGEMENT_PREFIX,
  managementOpenApi,
} from '@ratafia/api/schemas'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { beforeBody } from '../http/bodies/before-body.ts'
import { readJsonBodies } from '../http/bodies/json-body.ts'
import { userAgentIn } from '../http/client.ts'
import { credentialsDigest } from '../http/credentials/digest.ts'
import { macaroonsIn, presentedMacaroons } from '../http/credentials/presented.ts'
import { sendDocument } from '../http/description/send-document.ts'
import type { AddManagementRoute } from '../http/management/management-route.ts'
import type { Stores } from '../stores.ts'
import type { ManagementDependencies } from './dependencies.ts'
import { describeManager } from './me.ts'
import { createManagementRoot } from './tokens/create-root.ts'
import { exchangeManagementRoot } from './tokens/exchange.ts'
import { authorityOf, type ManagerAuthority } from './tokens/manager.ts'
import { authenticateManager } from './tokens/verify-manager.ts'

const api = MANAGEMENT_OPERATIONS

/** Adds the two requests that create a token, and the API description, which needs no authentication. */
export async function managementTokenRoutes(
  app: FastifyInstance,
  deps: ManagementDependencies,
): Promise<void> {
  readJsonBodies(app)
  const document = sendDocument(() => managementOpenApi(deps))
  app.get(`${MANAGEMENT_PREFIX}/openapi.json`, { config: { limit: 'management' } }, async (request, reply) =>
    document(request, reply),
  )
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('cache-control', 'no-store')
    reply.header('vary', 'Authorization, Macaroons')
    done()
  })
  const { createManagementRoot: create, exchangeManagementRoot: exchange } = api
  app.post<{ Body: Parameters<typeof createManagementRoot>[0] }>(
    `${MANAGEMENT_PREFIX}${create.path}`,
    { schema: { body: create.body }, config: { limit: 'management' } },
    ({ body }) => createManagementRoot(body, deps),
  )
  const exchanged = beforeBody((request) =>
    exchangeManagementRoot(presentedMacaroons(request.headers), {
      ...deps,
      source: request.client.address,
      userAgent: userAgentIn(request.headers),
    }),
  )
  app.post(
    `${MANAGEMENT_PREFIX}${exchange.path}`,
    {
      schema: { body: exchange.body },
      preValidation: exchanged.preValidation,
      config: { credentials: true, limit: 'management' },
    },
    async (request) => exchanged.resultOf(request),
  )
}

/** Throws a 401, and what `limit` throws for an account with too many requests. */
export const managerAuthority =
  (deps: ManagementDependencies, limit: (accountId: string) => Promise<void>) =>
  async (request: FastifyRequest): Promise<ManagerAuthority> => {
    const digest = credentialsDigest(request)
    const source = request.client.address
    const verify = () => {
      const presented = presentedMacaroons(request.headers)
      const authenticate = () => authenticateManager(presented, { ...deps, source })
      return presented.length === 1 ? deps.managers.remember(digest, authenticate) : authenticate()
    }
    const manager = deps.managers.find(digest) ?? (await verify())
    deps.uses.used('management', manager.sessionId, source)
    await limit(manager.account.id)
    return authorityOf(manager, { source, request: request.id }, deps.clock())
  }

/** Does the same for the token in a browser's cookie (contract/administration.md, B7). */
export const browserAuthority =
  (deps: ManagementDependencies, limit: (accountId: string) => Promise<void>) =>
  async (token: string, request: FastifyRequest): Promise<ManagerAuthority> => {
    const digest = hash('sha256', `cookie ${token}`, 'binary')
    const source = request.client.address
    const verify = () =>
      deps.managers.remember(digest, () => authenticateManager(macaroonsIn(token), { ...deps, source }))
    const manager = deps.managers.find(digest) ?? (await verify())
    deps.uses.used('management', manager.sessionId, source)
    await limit(manager.account.id)
    return authorityOf(manager, { source, request: request.id, via: 'console' }, deps.clock())
  }

export function managerRoutes(
  add: AddManagementRoute<ManagerAuthority>,
  deps: Pick<Stores, 'clock'> & {
    /** Explains the macaroons that `read` returns. `source`: the address of the caller. */
    readonly explained: (read: () => ReturnType<typeof macaroonsIn>, source: string) => Promise<Explanation>
  },
): void {
  add(api.me, async ({ authority }) => describeManager(authority, deps.clock()))

  add(api.explainToken, ({ authority, body }) =>
    deps.explained(() => macaroonsIn(body.token.trim()), authority.author.source),
  )
}
