/** The endpoints for programs: the public key, discharges, agents' logins, and the wait for a user to log in. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { clientGone } from '../../http/client.ts'
import { agentLogin } from '../agents/agent-login.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import { waitForLogin } from '../logins/wait.ts'
import { parametersOf, required } from '../parameters.ts'
import { dischargeCaveat } from './discharge.ts'
import { dischargeParameters, protocolVersion } from './discharge-parameters.ts'
import type { Client } from './interaction.ts'
import { dischargeInfo } from './own-key-pairs.ts'

/** Bakery clients send all their parameters in the query, including some that only other dischargers know. */
const OPEN = { config: { anyQuery: true, limit: 'none' } } as const
const LIMITED = { config: { ...OPEN.config, limit: 'discharge' } } as const

/**
 * Also `L//discharge`, because bakery clients in JavaScript do not remove a location's trailing slash
 * (contract/bakery.md). No other path of this service can have two slashes.
 */
const DISCHARGE_PATHS = ['/discharge', '//discharge']

export function dischargeRoutes(app: FastifyInstance, deps: IdentityDependencies, patience: number): void {
  for (const path of DISCHARGE_PATHS) {
    app.get(`${path}/info`, OPEN, async (_request, reply) => sendJson(reply, 200, await dischargeInfo(deps)))
  }
  app.get('/publickey', OPEN, async (_request, reply) => {
    const { PublicKey } = await dischargeInfo(deps)
    return sendJson(reply, 200, { PublicKey })
  })

  for (const path of DISCHARGE_PATHS) {
    app.post(path, LIMITED, async (request, reply) => {
      const parameters = dischargeParameters(parametersOf(request))
      const macaroon = await dischargeCaveat({ ...parameters, client: clientOf(request) }, deps)
      return sendJson(reply, 200, { Macaroon: macaroon })
    })
  }

  app.get('/login/agent', LIMITED, async (request, reply) => {
    const parameters = parametersOf(request)
    const macaroon = await agentLogin(
      {
        did: required(parameters, 'did'),
        name: required(parameters, 'username'),
        publicKey: required(parameters, 'public-key'),
        protocolVersion: protocolVersion(request.headers['bakery-protocol-version']),
      },
      deps,
    )
    return sendJson(reply, 200, { macaroon })
  })

  // No HEAD route, because it would wait just as long.
  app.get(
    '/wait-token',
    { exposeHeadRoute: false, config: { ...OPEN.config, limit: 'wait-token' } },
    async (request, reply) => {
      const did = required(parametersOf(request), 'did')
      const result = await waitForLogin(
        {
          did,
          address: request.client.address,
          patience,
          signal: clientGone(reply),
          onPlace: () => reply.hold(),
        },
        deps,
      )
      // The client has disconnected.
      if (!result) return reply.hijack()
      return sendJson(reply, 200, result)
    },
  )
}

/** Sends bytes, so that Fastify adds no charset: clients compare the content type as a string. */
export function sendJson(reply: FastifyReply, status: number, body: unknown): FastifyReply {
  return reply
    .status(status)
    .headers({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    .send(Buffer.from(JSON.stringify(body)))
}

const clientOf = (request: FastifyRequest): Client => ({
  address: request.client.address,
  userAgent: request.headers['user-agent'] ?? '',
})
