/** A digest of the credentials that a request presents: only identical headers have the same. */
import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** The digest; empty until {@link credentialsDigest} computes it. */
    presentedDigest: string
  }
}

/** The headers that carry credentials. */
export interface CredentialHeaders {
  readonly authorization?: string | undefined
  readonly macaroons?: string | readonly string[] | undefined
}

/** Returns the SHA-256 of everything that `presentedMacaroons` reads, as Latin-1, which is the shortest text. */
// No header has a line break in it, so no two pairs of headers give the same string.
export const digestOf = ({ authorization = '', macaroons = '' }: CredentialHeaders): string =>
  hash('sha256', `${authorization}\n${macaroons}`, 'binary')

/** Returns the digest, which is computed once per request. */
export function credentialsDigest(request: FastifyRequest): string {
  if (request.presentedDigest === '') request.presentedDigest = digestOf(request.headers)
  return request.presentedDigest
}
