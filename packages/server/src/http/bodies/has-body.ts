import type { IncomingMessage } from 'node:http'

/** Whether a body comes that anybody reads: nobody reads that of a GET, so its end never comes. */
export const hasBody = (request: Pick<IncomingMessage, 'method' | 'headers'>): boolean =>
  request.method !== 'GET' && request.method !== 'HEAD' && announcesBody(request)

/** Whether a body follows the headers, read or not. */
export const announcesBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
