/** A digest of the credentials that a request presents: the same for the very same headers alone. */
import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** Empty until somebody asks for it: see {@link credentialsDigest}. */
    presentedDigest: string
  }
}

/** The headers that carry credentials. */
export interface CredentialHeaders {
  readonly authorization?: string | undefined
  readonly macaroons?: string | readonly string[] | undefined
}

/** Of everything that `presentedMacaroons` reads: SHA-256 as Latin-1, the shortest text. */
// No header has a line break in it, so no two pairs of headers give one text.
export const digestOf = ({ authorization = '', macaroons = '' }: CredentialHeaders): string =>
  hash('sha256', `${authorization}\n${macaroons}`, 'binary')

/** Computed once for a request. */
export function credentialsDigest(request: FastifyRequest): string {
  if (request.presentedDigest === '') request.presentedDigest = digestOf(request.headers)
  return request.presentedDigest
}
