/** The id that all log lines of one request share. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Clients } from './client.ts'

/**
 * Unique across nodes and restarts, or the `X-Request-Id` of a trusted proxy, whose own log has it too. No other client
 * may choose ids: two requests with one id would be mixed up.
 */
export function requestIds(
  clients: Clients,
): (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string {
  return (request) => {
    const given = request.headers['x-request-id']
    const isId = typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given)
    return isId && clients(request).byTrustedProxy ? given : randomUUID()
  }
}
