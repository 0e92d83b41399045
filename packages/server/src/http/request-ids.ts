/** What the lines of one request in the log have in common. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/**
 * Unique over nodes and restarts; or `X-Request-Id` of a trusted proxy, whose own log has it too. Nobody else names
 * requests: two with one id would hide each other.
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
