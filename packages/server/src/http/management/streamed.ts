/**
 * An answer that is sent while it is read, page by page (contract/administration.md, A18): it uses the memory of a few
 * pages, however long it is. It has no length, so one that breaks off is a broken transfer, and never a short file.
 */
import type { ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { TooManyRequests } from '../../errors.ts'

/** A route's answer instead of a record or a list. */
export class Streamed {
  readonly type: string
  readonly fileName: string
  readonly text: AsyncIterable<string>

  /** `fileName` has only letters, digits, dots and dashes. */
  constructor(type: string, fileName: string, text: AsyncIterable<string>) {
    this.type = type
    this.fileName = fileName
    this.text = text
  }
}

/** How many streamed answers an account can get at a time from one process (A19). */
const MOST_AT_A_TIME = 2

export class StreamPlaces {
  readonly #taken = new Map<string, number>()

  /** Takes a place until the answer has reached its reader, or they left. Throws {@link TooManyRequests}. */
  take(accountId: string, response: ServerResponse): void {
    const taken = this.#taken.get(accountId) ?? 0
    if (taken >= MOST_AT_A_TIME) {
      throw new TooManyRequests(5_000, {
        what: `Your account is already downloading ${MOST_AT_A_TIME} exports.`,
      })
    }
    // The reader left while the request waited.
    if (response.closed) return
    this.#taken.set(accountId, taken + 1)
    response.once('close', () => {
      const left = (this.#taken.get(accountId) ?? 1) - 1
      if (left === 0) this.#taken.delete(accountId)
      else this.#taken.set(accountId, left)
    })
  }
}

export function sendStreamed(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { type, fileName, text }: Streamed,
): FastifyReply {
  // Reads one page ahead of what is sent.
  const source = Readable.from(text, { highWaterMark: 1 })
  // Must be the first listener: an answer that has not begun becomes a refusal, which is not a file.
  source.on('error', () => {
    for (const name of ['content-disposition', 'content-encoding']) reply.removeHeader(name)
  })
  reply.type(type).header('content-disposition', `attachment; filename="${fileName}"`)
  reply.header('vary', 'Authorization, Macaroons, Accept-Encoding')
  if (!acceptsGzip(headers['accept-encoding'])) return reply.send(source)
  reply.header('content-encoding', 'gzip')
  // An error of either destroys the other, and with it the connection.
  return reply.send(pipeline(source, createGzip(), () => {}))
}

/** Whether the client accepts gzip, by its `Accept-Encoding`. */
export const acceptsGzip = (header: string | readonly string[] | undefined): boolean =>
  String(header ?? '')
    .split(',')
    .some((part) => /^\s*gzip\s*(?:;\s*q=(?:1(?:\.0*)?|0\.\d*[1-9]\d*)\s*)?$/i.test(part))
