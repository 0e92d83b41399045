/** Registration: request-ids and serials, under the store's paths and under those of a gadget's device service. */
import type { RequestIdResponse } from '@ratafia/api'
import { OPERATIONS } from '@ratafia/api/schemas'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { bodyParser } from '../../http/bodies/read-body.ts'
import { callerOf } from '../device.ts'
import { newNonce } from '../nonce.ts'
import { type DeviceServiceDependencies, forwardElsewhere } from './forwarding/routes.ts'
import { type RegisterDeps, registerDevice } from './register.ts'

export interface RegistrationDependencies extends RegisterDeps, DeviceServiceDependencies {
  /** The path that a gadget's `device-service.url` names, without a slash at the end. */
  readonly deviceServicePath: string
}

/** The limit of a stream of assertions, in bytes. */
const STREAM_LIMIT = 4 * 1024 * 1024

export async function registrationRoutes(
  app: FastifyInstance,
  deps: RegistrationDependencies,
): Promise<void> {
  const { requestId, registerDevice: devices } = OPERATIONS
  // Ignores the content type: gadgets can set it, and snapd sends none with a request-id.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', bodyParser({ parse: (body) => body }))
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('cache-control', 'no-store')
    done()
  })
  forwardElsewhere(app, deps)

  // A set, because the operator can configure the store's own path.
  for (const path of new Set([requestId.path, `${deps.deviceServicePath}/request-id`])) {
    app.post(
      path,
      { config: { limit: 'nonces' } },
      async (): Promise<RequestIdResponse> => ({ 'request-id': await newNonce('request-id', deps) }),
    )
  }
  for (const path of [devices.path, `${deps.deviceServicePath}/serial`]) {
    app.post(path, { bodyLimit: STREAM_LIMIT, config: { limit: 'devices' } }, (request, reply) =>
      answerRegistration(request, reply, deps),
    )
  }
}

async function answerRegistration(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: RegistrationDependencies,
): Promise<FastifyReply> {
  const { body, headers } = request
  const encoded = await registerDevice(
    {
      stream: body instanceof Uint8Array ? body : new Uint8Array(),
      apiKey: textOf(headers['api-key']),
      serialStream: hasCapability(textOf(headers['snap-device-capabilities']), 'serial-stream'),
      caller: callerOf(request),
    },
    deps,
  )
  if (!encoded) return reply.status(202).send()
  // Fastify adds no charset to bytes.
  return reply.header('content-type', OPERATIONS.registerDevice.responseType).send(Buffer.from(encoded))
}

/** Node joins repeated headers. */
const textOf = (header: string | string[] | undefined): string | undefined =>
  header === undefined ? undefined : String(header)

const hasCapability = (header: string | undefined, name: string): boolean =>
  (header ?? '').split(/[\s,]+/).includes(name)
