/** Checks whether the client of a request still waits for the answer. */
import type { FastifyReply } from 'fastify'

/** Aborts when the client is gone; at once if it left earlier, during a check of limits or a query. */
export function clientGone({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const gone = new AbortController()
  if (raw.closed) gone.abort()
  else raw.once('close', () => gone.abort())
  return gone.signal
}
