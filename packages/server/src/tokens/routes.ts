/** The five endpoints of developer tokens: HTTP in, operation, HTTP out. */

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { OPERATIONS } from '@ratafia/api/schemas'
import type { FastifyInstance } from 'fastify'
import { accountActor } from '../change.ts'
import { beforeBody } from '../http/bodies/before-body.ts'
import { readJsonBodies } from '../http/bodies/json-body.ts'
import { booleanParameter } from '../http/boolean-parameter.ts'
import { presentedMacaroons } from '../http/credentials.ts'
import { credentialsDigest } from '../http/credentials-digest.ts'
import { authenticate } from './authentication/authenticate.ts'
import { createToken } from './create.ts'
import { forRequest, type TokenDependencies } from './dependencies.ts'
import { exchange } from './exchange.ts'
import { listTokens } from './list.ts'
import { revokeToken } from './revoke.ts'
import { whoami } from './whoami.ts'

const WITH_CREDENTIALS = { config: { credentials: true } } as const

export async function tokenRoutes(app: FastifyInstance, deps: TokenDependencies): Promise<void> {
  readJsonBodies(app)
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('cache-control', 'no-store')
    reply.header('vary', 'Authorization, Macaroons')
    done()
  })
  const typed = app.withTypeProvider<TypeBoxTypeProvider>()
  const { createToken: create, exchangeToken, listTokens: listing, revokeToken: revocation } = OPERATIONS
  const authenticated = beforeBody((request) => {
    const digest = credentialsDigest(request)
    const known = deps.logins.find(digest)
    if (known) return known
    const presented = presentedMacaroons(request.headers)
    const verify = () => authenticate(presented, forRequest(request.client.address, deps))
    return presented.length === 1 ? deps.logins.remember(digest, verify) : verify()
  })
  // An exchange stores what an authentication does: the session of a root that is presented for the first time. So it may
  // come before the body, and a wrong body only withholds the token.
  const exchanged = beforeBody((request) =>
    exchange(presentedMacaroons(request.headers), forRequest(request.client.address, deps)),
  )

  const creation = { schema: { body: create.body }, config: { limit: 'tokens' } } as const
  typed.post(create.path, creation, (request) => createToken(request.body, deps))

  const { preValidation } = authenticated
  const exchanging = {
    schema: { body: exchangeToken.body },
    preValidation: exchanged.preValidation,
    ...WITH_CREDENTIALS,
  }
  typed.post(exchangeToken.path, exchanging, async (request) => exchanged.resultOf(request))

  typed.get(listing.path, { preValidation, ...WITH_CREDENTIALS }, (request) => {
    const { account } = authenticated.resultOf(request)
    const includeInactive = booleanParameter(request.query, 'include-inactive')
    return listTokens({ accountId: account.id, includeInactive }, deps)
  })

  const revoking = { schema: { body: revocation.body }, preValidation, ...WITH_CREDENTIALS }
  typed.post(revocation.path, revoking, (request) => {
    const { account } = authenticated.resultOf(request)
    const change = deps.changeBy({ actor: accountActor(account.username), source: request.client.address })
    return revokeToken(
      { sessionId: request.body['session-id'], by: account.username, accountId: account.id },
      { ...deps, change },
    )
  })

  typed.get(OPERATIONS.whoami.path, { preValidation, ...WITH_CREDENTIALS }, (request, reply) => {
    const answer = whoami(authenticated.resultOf(request), deps)
    if (answer instanceof Promise) return answer
    // Fastify sends only what a promise brings.
    reply.send(answer)
  })
}
