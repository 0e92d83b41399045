import type { IncomingMessage } from 'node:http'

/** Whether the request has a body that is read: a GET's is not, so its end never arrives. */
export const hasBody = (request: Pick<IncomingMessage, 'method' | 'headers'>): boolean =>
  request.method !== 'GET' && request.method !== 'HEAD' && announcesBody(request)

/** Whether a body follows the headers, whether or not it is read. */
export const announcesBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
