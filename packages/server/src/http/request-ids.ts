/** The id that all log lines of one request share. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/**
 * Unique across nodes and restarts, or the `X-Request-Id` of a trusted proxy, whose own log has it too. No other client
 * may choose ids: two requests with one id would be mixed up.
 */
export function requestIds(
  trusted: (address: string | undefined) => boolean,
): (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string {
  return ({ headers, socket }) => {
    const given = headers['x-request-id']
    if (typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given) && trusted(socket.remoteAddress)) {
      return given
    }
    return randomUUID()
  }
}
