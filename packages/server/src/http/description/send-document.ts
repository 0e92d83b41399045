/** Sends a large text that is the same for all clients: compressed, and not again to clients that have it. */
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { etagOf, isKnown } from '../management/etag.ts'
import { acceptsGzip } from '../management/streamed.ts'

/** `make` runs once, for the first request. */
export function sendDocument(
  make: () => object,
): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  let made: { readonly plain: Buffer; readonly packed: Buffer; readonly etag: string } | undefined
  return ({ headers }, reply) => {
    if (!made) {
      const document = make()
      const plain = Buffer.from(JSON.stringify(document))
      made = { plain, packed: gzipSync(plain), etag: etagOf(document) }
    }
    // A weak tag, because it covers both encodings.
    reply.headers({ etag: `W/${made.etag}`, 'cache-control': 'public, max-age=300', vary: 'Accept-Encoding' })
    if (isKnown(headers['if-none-match'], made.etag)) return reply.code(304).send()
    reply.type('application/json')
    if (!acceptsGzip(headers['accept-encoding'])) return reply.send(made.plain)
    return reply.header('content-encoding', 'gzip').send(made.packed)
  }
}
