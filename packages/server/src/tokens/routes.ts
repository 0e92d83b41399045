/** The endpoints of developer tokens: HTTP in, operation, HTTP out. */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { OPERATIONS } from '@ratafia/api/schemas'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { accountActor } from '../change.ts'
import { booleanParameter, onlyNamesOf } from '../http/addresses/query-names.ts'
import { type BeforeBody, beforeBody } from '../http/bodies/before-body.ts'
import { readJsonBodies } from '../http/bodies/json-body.ts'
import { presentedMacaroons } from '../http/credentials/presented.ts'
import {
  authenticatedBefore,
  dependenciesFor,
  neverStored,
  WITH_CREDENTIALS,
} from './authenticating-routes.ts'
import type { Authentication } from './authentication/authentication.ts'
import { createToken } from './create.ts'
import type { TokenDependencies } from './dependencies.ts'
import { exportLogin } from './dialects/export-login.ts'
import { exchange } from './exchange.ts'
import { listTokens } from './list.ts'
import { revokeToken } from './revoke.ts'
import { whoami } from './whoami.ts'

export async function tokenRoutes(app: FastifyInstance, deps: TokenDependencies): Promise<void> {
  readJsonBodies(app)
  neverStored(app)
  const typed = app.withTypeProvider<TypeBoxTypeProvider>()
  const { createToken: create, exchangeToken, exportLogin: exporting } = OPERATIONS
  // An exchange stores no more than an authentication: the session of a root that is presented for the first
  // time. So it can run before the body is checked, and a wrong body only withholds the token.
  const exchanged = beforeBody((request) =>
    exchange(presentedMacaroons(request.headers), dependenciesFor(request, deps)),
  )
  const exported = beforeBody((request) =>
    exportLogin(presentedMacaroons(request.headers), dependenciesFor(request, deps)),
  )

  const creation = { schema: { body: create.body }, config: { limit: 'tokens' } } as const
  typed.post(create.path, creation, (request) => createToken(request.body, deps))

  for (const [{ path, body }, { preValidation, resultOf }] of [
    [exchangeToken, exchanged],
    [exporting, exported],
  ] as const) {
    typed.post(path, { schema: { body }, preValidation, ...WITH_CREDENTIALS }, async (request) =>
      resultOf(request),
    )
  }

  const authenticated = authenticatedBefore(deps)
  sessionRoutes(app, { ...OPERATIONS, authenticated }, deps)

  const { preValidation } = authenticated
  typed.get(OPERATIONS.whoami.path, { preValidation, ...WITH_CREDENTIALS }, (request, reply) => {
    const answer = whoami(authenticated.resultOf(request), deps)
    if (answer instanceof Promise) return answer
    // Fastify sends the result only of an async handler.
    reply.send(answer)
  })
}

/** The paths for listing and revoking sessions. */
interface SessionPaths {
  readonly listTokens: { readonly path: string }
  readonly revokeToken: { readonly path: string }
  readonly authenticated: BeforeBody<Authentication>
}

/** Adds the routes that list and revoke sessions, at the paths of the specified API or of gateways. */
export function sessionRoutes(
  app: FastifyInstance,
  { listTokens: listing, revokeToken: revocation, authenticated }: SessionPaths,
  deps: TokenDependencies,
): void {
  const typed = app.withTypeProvider<TypeBoxTypeProvider>()
  const { preValidation } = authenticated
  const schema = { querystring: onlyNamesOf(OPERATIONS.listTokens.query) }
  typed.get(listing.path, { schema, preValidation, ...WITH_CREDENTIALS }, (request) => {
    const { account } = authenticated.resultOf(request)
    const includeInactive = booleanParameter(request.query, 'include-inactive')
    return listTokens({ accountId: account.id, includeInactive }, deps)
  })

  const { body } = OPERATIONS.revokeToken
  typed.post(revocation.path, { schema: { body }, preValidation, ...WITH_CREDENTIALS }, (request) => {
    const { account } = authenticated.resultOf(request)
    const change = changeFor(request, account.username)
    // A developer token has no administrative power, so it can't revoke a session that has.
    const own = { by: account.username, accountId: account.id, kind: 'developer' } as const
    return revokeToken({ sessionId: request.body['session-id'], ...own }, { ...deps, change })
  })

  function changeFor({ client }: FastifyRequest, username: string) {
    return deps.changeBy({ actor: accountActor(username), source: client.address })
  }
}
