/** Whether the client of a request still wants the answer. */
import type { FastifyReply } from 'fastify'

/** Aborts when the client is gone: at once if it left before, while limits were checked or a database was asked. */
export function clientGone({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const gone = new AbortController()
  if (raw.closed) gone.abort()
  else raw.once('close', () => gone.abort())
  return gone.signal
}
