/** A digest of the credentials that a request presents: the same for the very same headers alone. */
import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** Empty until somebody asks for it: see {@link credentialsDigest}. */
    presentedDigest: string
  }
}

/** Of everything that `presentedMacaroons` reads: SHA-256 as Latin-1, the shortest text, computed once for a request. */
export function credentialsDigest(request: FastifyRequest): string {
  if (request.presentedDigest === '') {
    const { authorization = '', macaroons = '' } = request.headers
    // No header has a line break in it, so no two pairs of headers give one text.
    request.presentedDigest = hash('sha256', `${authorization}\n${macaroons}`, 'binary')
  }
  return request.presentedDigest
}
