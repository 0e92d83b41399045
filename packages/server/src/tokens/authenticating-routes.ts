/** The parts shared by routes that accept a credential. They check it before the body, and often from memory. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type BeforeBody, beforeBody } from '../http/bodies/before-body.ts'
import { credentialsDigest } from '../http/credentials/digest.ts'
import { presentedMacaroons } from '../http/credentials/presented.ts'
import { authenticate } from './authentication/authenticate.ts'
import type { Authentication } from './authentication/authentication.ts'
import type { Presented } from './authentication/first-valid-slice.ts'
import { forRequest, type RequestDependencies, type TokenDependencies } from './dependencies.ts'

export const WITH_CREDENTIALS = { config: { credentials: true } } as const

/** Answers that contain credentials, or describe them, must not be cached. */
export function neverStored(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('cache-control', 'no-store')
    reply.header('vary', 'Authorization, Macaroons')
    done()
  })
}

export const dependenciesFor = ({ client }: FastifyRequest, deps: TokenDependencies): RequestDependencies =>
  forRequest(client.address, deps)

interface PresentedOnce {
  /** Reads the presented macaroons. Throws {@link RequestError}. */
  readonly presented: () => Presented
  readonly digest: string
}

/**
 * Authenticates a request, and records that its token was used. The result is remembered by `digest`, unless
 * the request presents several macaroons.
 */
export function authenticateKnown(
  { presented: read, digest }: PresentedOnce,
  request: FastifyRequest,
  deps: TokenDependencies,
): Authentication | Promise<Authentication> {
  const used = (login: Authentication) => {
    deps.uses.used('developer', login.sessionId, request.client.address)
    return login
  }
  const known = deps.rememberedLogins.find(digest)
  if (known) return used(known)
  const presented = read()
  const verify = () => authenticate(presented, dependenciesFor(request, deps))
  return (presented.length === 1 ? deps.rememberedLogins.remember(digest, verify) : verify()).then(used)
}

export const authenticatedBefore = (deps: TokenDependencies): BeforeBody<Authentication> =>
  beforeBody((request) =>
    authenticateKnown(
      { presented: () => presentedMacaroons(request.headers), digest: credentialsDigest(request) },
      request,
      deps,
    ),
  )
