/** Nonces, device sessions, and session checks: HTTP in, operation, HTTP out. */
import { hash } from 'node:crypto'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { OPERATIONS } from '@ratafia/api/schemas'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { RequestError } from '../../errors.ts'
import { readJsonBodies } from '../../http/bodies/json-body.ts'
import { bodyParser } from '../../http/bodies/read-body.ts'
import { callerOf } from '../device.ts'
import { newNonce } from '../nonce.ts'
import { type OpenSessionDeps, openSession } from './open-session.ts'
import { presentedSession } from './presented-session.ts'
import { type RememberedDeviceSessions, type VerifiedSession, verifySession } from './verify-session.ts'

export interface SessionDependencies extends OpenSessionDeps {
  readonly verified: RememberedDeviceSessions
}

/** The size limit in bytes: bodies have several assertions, as JSON. */
const BODY_LIMIT = 1024 * 1024

export async function sessionRoutes(app: FastifyInstance, deps: SessionDependencies): Promise<void> {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('cache-control', 'no-store')
    done()
  })
  await app.register(async (scope) => nonceRoute(scope, deps))
  await app.register(async (scope) => openRoute(scope, deps))
  verifyRoute(app, deps)
}

function nonceRoute(app: FastifyInstance, deps: SessionDependencies): void {
  // The request needs no body, so one of any type is ignored.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', bodyParser({ parse: () => undefined }))
  app.post(OPERATIONS.nonces.path, { config: { limit: 'nonces' } }, async () => ({
    nonce: await newNonce('nonce', deps),
  }))
}

function openRoute(app: FastifyInstance, deps: SessionDependencies): void {
  readJsonBodies(app, BODY_LIMIT)
  const { path, body } = OPERATIONS.openSession
  const options = { schema: { body }, config: { limit: 'sessions' } } as const
  app.withTypeProvider<TypeBoxTypeProvider>().post(path, options, (request) =>
    openSession(
      {
        serial: request.body['serial-assertion'],
        request: request.body['device-session-request'],
        model: request.body['model-assertion'],
        previous: presentedSession(request.headers, ['x-device-authorization']),
        caller: callerOf(request),
      },
      deps,
    ),
  )
}

const HEADERS = ['x-device-authorization', 'snap-device-authorization']
const ANSWER_HEADERS = { vary: HEADERS.join(', '), 'content-type': 'application/json' }

/** Returns the SHA-256 of the header values, none of which can contain a line break. */
const digestOf = ({ headers }: FastifyRequest): string =>
  hash('sha256', HEADERS.map((name) => headers[name] ?? '').join('\n'), 'binary')

/**
 * Answers before reading a body: a proxy (nginx with `auth_request`) passes on the headers of the request
 * that it checks, without the matching body.
 */
function verifyRoute(app: FastifyInstance, deps: SessionDependencies): void {
  const { path } = OPERATIONS.deviceSession
  app.route({
    // A proxy can use its own method, or the method of the request that it checks.
    method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: path,
    exposeHeadRoute: false,
    // A reverse proxy can pass on the query of the request it checks, and checks all devices from one address.
    config: { anyQuery: true, limit: 'none' },
    onRequest: (request, reply, done) => {
      const answer = ({ description, headers }: VerifiedSession) => {
        deps.tally.add('store-questions', 'session-valid', headers['ratafia-brand'])
        reply.headers(ANSWER_HEADERS).headers(headers).send(description)
      }
      const refuse = (error: Error) => {
        if (error instanceof RequestError) deps.tally.add('store-questions', 'session-refused')
        done(error)
      }
      const digest = digestOf(request)
      const known = deps.verified.find(digest)
      if (known) return answer(known)
      const verify = () => verifySession(presentedSession(request.headers, HEADERS), deps)
      deps.verified.remember(digest, verify).then(answer).catch(refuse)
    },
    // The hook has already answered.
    handler: async () => undefined,
  })
}
