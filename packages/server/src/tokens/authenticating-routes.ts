/** What routes that take a credential have in common: it is checked before the body is, and often remembered. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type BeforeBody, beforeBody } from '../http/bodies/before-body.ts'
import { credentialsDigest } from '../http/credentials/digest.ts'
import { presentedMacaroons } from '../http/credentials/presented.ts'
import { authenticate } from './authentication/authenticate.ts'
import type { Authentication } from './authentication/authentication.ts'
import type { Presented } from './authentication/first-valid-slice.ts'
import { forRequest, type RequestDependencies, type TokenDependencies } from './dependencies.ts'

export const WITH_CREDENTIALS = { config: { credentials: true } } as const

/** Answers with credentials, or about them, are stored by nobody. */
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
  /** Reads what is presented. Throws {@link RequestError}. */
  readonly presented: () => Presented
  readonly digest: string
}

/** Remembered by `digest`, unless several macaroons are presented. The token was used by that. */
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
