/** Proxy mode: catches registrations that name another device service before they reach the handlers. */
import { OPERATIONS } from '@ratafia/api/schemas'
import type { FastifyInstance } from 'fastify'
import { type DeviceServices, destinationOf } from './device-service.ts'
import { type ForwardDependencies, forward } from './forward.ts'

export interface DeviceServiceDependencies extends ForwardDependencies {
  readonly deviceServices: DeviceServices
}

/** The name of an API path under the address of another device service. */
const NAMES: ReadonlyMap<string, string> = new Map([
  [OPERATIONS.requestId.path, 'request-id'],
  [OPERATIONS.registerDevice.path, 'serial'],
])

/** For the routes registered on `app`, except those of a gadget's own device service. */
export function forwardElsewhere(app: FastifyInstance, deps: DeviceServiceDependencies): void {
  app.addHook('preHandler', async (request, reply) => {
    const name = NAMES.get(request.routeOptions.url ?? '')
    const header = request.headers['x-snap-device-service-url']
    if (name === undefined || header === undefined) return
    // Node joins repeated headers with a comma, which no address of a device service has.
    const destination = destinationOf(String(header), deps.deviceServices)
    if (destination.at === 'here') return
    const body = request.body instanceof Uint8Array ? request.body : new Uint8Array()
    const answer = await forward({ url: destination.url + name, headers: request.headers, body }, deps)
    if (answer.contentType !== undefined) reply.header('content-type', answer.contentType)
    return reply.status(answer.status).send(answer.body)
  })
}
