/** Sends a large text that is the same for all clients: compressed, and not again to clients that have it. */
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { etagOf, isKnown } from '../management/etag.ts'
import { acceptsGzip } from '../management/streamed.ts'

export interface Packed {
  readonly type: string
  /** A strong tag of the content. */
  readonly etag: string
  /** The content, compressed by gzip. */
  readonly packed: Buffer
  readonly plain: () => Buffer
}

/** `make` runs once, for the first request. */
export function sendDocument(
  make: () => object,
): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  let made: Packed | undefined
  return (request, reply) => {
    if (!made) {
      const document = make()
      const plain = Buffer.from(JSON.stringify(document))
      made = {
        ...{ type: 'application/json', etag: etagOf(document) },
        ...{ packed: gzipSync(plain), plain: () => plain },
      }
    }
    return sendPacked(request, reply, made)
  }
}

/** Sends the content as the client accepts it; a 304 to a client that has it. */
export function sendPacked(
  { headers }: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
  { type, etag, packed, plain }: Packed,
): FastifyReply {
  // A weak tag, because it covers both encodings.
  reply.headers({ etag: `W/${etag}`, 'cache-control': 'public, max-age=300', vary: 'Accept-Encoding' })
  if (isKnown(headers['if-none-match'], etag)) return reply.code(304).send()
  reply.type(type)
  if (!acceptsGzip(headers['accept-encoding'])) return reply.send(plain())
  return reply.header('content-encoding', 'gzip').send(packed)
}
