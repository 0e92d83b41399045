import type { IncomingMessage } from 'node:http'

/** Whether a body comes that anybody reads: nobody reads that of a GET, so its end never comes. */
export const hasBody = ({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean =>
  method !== 'GET' &&
  method !== 'HEAD' &&
  (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0')
