/** The five endpoints of developer tokens: HTTP in, operation, HTTP out. */

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { OPERATIONS } from '@ratafia/api/schemas'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { addressOf } from '../address.ts'
import { accountActor } from '../change.ts'
import { presentedMacaroons } from '../http/credentials.ts'
import { readJsonBodies } from '../http/json-body.ts'
import { type Authentication, authenticate } from './authenticate.ts'
import { createToken } from './create.ts'
import type { TokenDependencies } from './dependencies.ts'
import { exchange } from './exchange.ts'
import { listTokens } from './list.ts'
import { revokeToken } from './revoke.ts'
import { whoami } from './whoami.ts'

export async function tokenRoutes(app: FastifyInstance, deps: TokenDependencies): Promise<void> {
  readJsonBodies(app)
  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    reply.header('vary', 'Authorization, Macaroons')
  })
  const typed = app.withTypeProvider<TypeBoxTypeProvider>()
  const { createToken: create, exchangeToken, listTokens: listing, revokeToken: revocation } = OPERATIONS
  const authenticated = (request: FastifyRequest): Promise<Authentication> =>
    authenticate(presentedMacaroons(request.headers), { ...deps, source: addressOf(request) })

  const creation = { schema: { body: create.body }, config: { limit: 'tokens' } } as const
  typed.post(create.path, creation, (request) => createToken(request.body, deps))

  typed.post(exchangeToken.path, { schema: { body: exchangeToken.body } }, (request) =>
    exchange(presentedMacaroons(request.headers), { ...deps, source: addressOf(request) }),
  )

  typed.get(listing.path, { schema: { querystring: listing.query } }, async (request) => {
    const { account } = await authenticated(request)
    return listTokens(
      { accountId: account.id, includeInactive: request.query['include-inactive'] === 'true' },
      deps,
    )
  })

  typed.post(revocation.path, { schema: { body: revocation.body } }, async (request) => {
    const { account } = await authenticated(request)
    const change = deps.changeBy({ actor: accountActor(account.username), source: addressOf(request) })
    return revokeToken(
      { sessionId: request.body['session-id'], by: account.username, accountId: account.id },
      { ...deps, change },
    )
  })

  typed.get(OPERATIONS.whoami.path, async (request) => whoami(await authenticated(request)))
}
