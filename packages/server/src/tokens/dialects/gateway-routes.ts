/**
 * The publisher gateway routes: for charmcraft, craft-store's gateway classes, and snapcraft with an on-premises store
 * (contract/publisher-login.md, decision 4). They are registered a second time under `/publishergw`.
 */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { OPERATIONS } from '@ratafia/api/schemas'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readJsonBodies } from '../../http/bodies/json-body.ts'
import { macaroonsIn, presentedMacaroons } from '../../http/credentials/presented.ts'
import {
  authenticatedBefore,
  dependenciesFor,
  neverStored,
  WITH_CREDENTIALS,
} from '../authenticating-routes.ts'
import { createToken } from '../create.ts'
import type { TokenDependencies } from '../dependencies.ts'
import { sessionRoutes } from '../routes.ts'
import { gatewayExchange, gatewayWhoami, offlineExchange } from './gateway.ts'
import { askingProgram } from './routes.ts'
import { createUbuntuOneRoot } from './ubuntu-one.ts'

/** Another path for `/v1/tokens/usso/exchange`. */
const DASHBOARD_EXCHANGE = '/v1/tokens/dashboard/exchange'

export async function gatewayRoutes(app: FastifyInstance, deps: TokenDependencies): Promise<void> {
  readJsonBodies(app)
  neverStored(app)
  const typed = app.withTypeProvider<TypeBoxTypeProvider>()
  const {
    gatewayToken,
    gatewayExchange: exchanging,
    ussoRoot,
    ussoExchange,
    offlineExchange: offline,
  } = OPERATIONS

  const creation = { schema: { body: gatewayToken.body }, config: { limit: 'tokens' } } as const
  typed.post(gatewayToken.path, creation, (request) => createToken(request.body, deps))
  typed.post(ussoRoot.path, creation, (request) =>
    createUbuntuOneRoot(request.body, askingProgram(request), deps),
  )

  const exchange = { schema: { body: exchanging.body }, ...WITH_CREDENTIALS }
  for (const path of [exchanging.path, ussoExchange.path, DASHBOARD_EXCHANGE]) {
    typed.post(path, { ...exchange, preValidation: requireCredential }, (request) =>
      gatewayExchange(presentedMacaroons(request.headers), request.body['client-description'], {
        ...dependenciesFor(request, deps),
        changeBy: deps.changeBy,
      }),
    )
  }
  typed.post(offline.path, { schema: { body: offline.body }, ...WITH_CREDENTIALS }, (request) =>
    offlineExchange(macaroonsIn(request.body.macaroon), dependenciesFor(request, deps)),
  )

  const authenticated = authenticatedBefore(deps)
  const { gatewayTokens: listTokens, gatewayRevoke: revokeToken } = OPERATIONS
  sessionRoutes(app, { listTokens, revokeToken, authenticated }, deps)
  const { preValidation } = authenticated
  typed.get(OPERATIONS.gatewayWhoami.path, { preValidation, ...WITH_CREDENTIALS }, async (request) =>
    gatewayWhoami(authenticated.resultOf(request)),
  )
}

/** Runs before the body is checked: without a credential the answer is a 401, whatever the body contains. */
async function requireCredential(request: FastifyRequest): Promise<void> {
  presentedMacaroons(request.headers)
}
