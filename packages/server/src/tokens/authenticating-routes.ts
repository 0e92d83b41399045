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

/** Remembered by `digest`, unless several macaroons are presented. */
export function authenticateKnown(
  { presented, digest }: { readonly presented: Presented; readonly digest: string },
  request: FastifyRequest,
  deps: TokenDependencies,
): Promise<Authentication> {
  const verify = () => authenticate(presented, dependenciesFor(request, deps))
  return presented.length === 1 ? deps.logins.remember(digest, verify) : verify()
}

export const authenticatedBefore = (deps: TokenDependencies): BeforeBody<Authentication> =>
  beforeBody((request) => {
    const digest = credentialsDigest(request)
    const known = deps.logins.find(digest)
    if (known) return known
    return authenticateKnown({ presented: presentedMacaroons(request.headers), digest }, request, deps)
  })
