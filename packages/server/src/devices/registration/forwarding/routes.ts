/** Proxy mode: intercepts registrations that name another device service before they reach the handlers. */
import { OPERATIONS } from '@ratafia/api/schemas'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { TooManyRequests } from '../../../errors.ts'
import { clientGone } from '../../../http/client.ts'
import { Shares } from '../../../limits/shares.ts'
import { type DeviceServices, destinationOf, type ForwardDependencies, forward } from './forward.ts'

export interface DeviceServiceDependencies extends ForwardDependencies {
  readonly deviceServices: DeviceServices
}

/** The name of an API path below the address of another device service. */
const NAMES: ReadonlyMap<string, string> = new Map([
  [OPERATIONS.requestId.path, 'request-id'],
  [OPERATIONS.registerDevice.path, 'serial'],
])

/** How many registrations can wait for one other service: if that hangs, it blocks nothing else here. */
const PLACES = 32

/** Adds the forwarding to the routes registered on `app`, except those of a gadget's own device service. */
export function forwardElsewhere(app: FastifyInstance, deps: DeviceServiceDependencies): void {
  const places = new Map(deps.deviceServices.allowed.map((url) => [url, new Shares(PLACES)]))
  const elsewhere = (
    request: FastifyRequest,
  ): { readonly url: string; readonly name: string } | undefined => {
    const name = NAMES.get(request.routeOptions.url ?? '')
    const header = request.headers['x-snap-device-service-url']
    if (name === undefined || header === undefined) return undefined
    // Node joins repeated headers with a comma, which no device service's address contains.
    const destination = destinationOf(String(header), deps.deviceServices)
    return destination.at === 'here' ? undefined : { url: destination.url, name }
  }
  // Refuses before the body is read, and after the limits.
  app.addHook('preParsing', async (request) => void elsewhere(request))
  app.addHook('preHandler', async (request, reply) => {
    const service = elsewhere(request)
    if (!service) return
    const { url, name } = service
    const { networks } = request.client
    const waiting = places.get(url)
    if (!waiting?.take(networks)) throw new TooManyRequests(1_000, { asBusy: true, what: SLOW })
    // The request only waits, and the number of places bounds how many do.
    reply.hold()
    const signal = clientGone(reply)
    const { headers, body: read } = request
    const body = read instanceof Uint8Array ? read : new Uint8Array()
    const answer = await forward({ url: url + name, headers, body, signal }, deps)
      .catch((error: unknown) => {
        if (signal.aborted) return undefined
        throw error
      })
      .finally(() => waiting.giveBack(networks))
    if (!answer) return reply.hijack()
    if (answer.contentType !== undefined) reply.header('content-type', answer.contentType)
    return reply.status(answer.status).send(answer.body)
  })
}

const SLOW = 'Too many registrations are waiting for this device service.'
