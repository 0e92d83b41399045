/** The routes for exchanging ID tokens. */
import { type AuthorizationServer, EXCHANGE_PATH, PERMISSIONS, TOKEN_EXCHANGE } from '@ratafia/api'
import { OPERATIONS } from '@ratafia/api/schemas'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { pathOf } from '../http/app.ts'
import { readFormsOrJson, sentParameters } from '../http/bodies/form-or-json.ts'
import { answerOAuthError } from '../http/errors/answer.ts'
import { exchange } from './exchange.ts'
import type { ExchangeDependencies } from './exchange-dependencies.ts'

export async function ciRoutes(app: FastifyInstance, deps: ExchangeDependencies): Promise<void> {
  readFormsOrJson(app)
  app.setErrorHandler(answerOAuthError)
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('cache-control', 'no-store')
    done()
  })
  const { exchangeIdToken, oidcAudience, authorizationServer: metadata } = OPERATIONS

  app.post(exchangeIdToken.path, { config: { failures: 'oidc', anyQuery: true } }, async (request, reply) => {
    const answer = await exchange(
      {
        parameters: sentParameters(request),
        idempotencyKey: idempotencyKeyOf(request),
        source: request.client.address,
      },
      deps,
    )
    return prefersText(request) ? sendText(reply, answer.credentials) : answer
  })

  app.get(oidcAudience.path, { config: { limit: 'none' } }, async () => ({ audience: deps.baseUrl }))
  // If the base URL has a path, clients append it to the well-known name (RFC 8414, 3.1); some put it in front.
  for (const path of new Set(['', pathOf(deps.baseUrl)])) {
    app.get(`${metadata.path}${path}`, { config: { anyQuery: true, limit: 'none' } }, async () =>
      authorizationServer(deps.baseUrl),
    )
  }
}

/** Node joins repeated headers with commas, which are not valid in a key. */
const idempotencyKeyOf = ({ headers }: FastifyRequest): string | undefined =>
  headers['idempotency-key']?.toString()

/** The first wins a tie: a client that accepts either, or has no preference, gets JSON. */
const TYPES = ['application/json', 'text/plain']

const prefersText = ({ raw }: FastifyRequest): boolean =>
  new Negotiator(raw).mediaType(TYPES) === 'text/plain'

/** Sends bytes, because Fastify adds a charset to strings. */
const sendText = (reply: FastifyReply, text: string): FastifyReply =>
  reply.header('content-type', 'text/plain').send(Buffer.from(text))

/** `GET /.well-known/oauth-authorization-server` shows OAuth clients where to exchange ID tokens (RFC 8414). */
const authorizationServer = (baseUrl: string): AuthorizationServer => ({
  issuer: baseUrl,
  token_endpoint: `${baseUrl}${EXCHANGE_PATH}`,
  token_endpoint_auth_methods_supported: ['none'],
  grant_types_supported: [TOKEN_EXCHANGE],
  // Empty, because there is no authorization in a browser.
  response_types_supported: [],
  scopes_supported: [...PERMISSIONS],
})
