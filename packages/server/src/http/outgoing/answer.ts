/** Sends a request over an open connection, and waits for the headers of its answer. */
import type { IncomingMessage, RequestOptions } from 'node:http'
import type { Duplex } from 'node:stream'
import { request } from '../../node-http.ts'

interface Sent extends Pick<RequestOptions, 'method' | 'headers'> {
  readonly url: URL
  readonly signal: AbortSignal
  readonly body?: string
}

/**
 * Returns the answer with its body unread, regardless of its status. Rejects as `node:http` does. The caller
 * destroys the socket.
 */
export const answerOver = (
  socket: Duplex,
  { url: { host, pathname, search }, method = 'GET', headers, signal, body }: Sent,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request({
      ...{ method, path: `${pathname}${search}`, headers: { host, ...headers } },
      createConnection: () => socket,
      signal,
    })
      .on('response', resolve)
      // Status 101. Without a listener the connection is closed, with neither an answer nor an error.
      .on('upgrade', resolve)
      .on('error', reject)
      .end(body)
  })

/** The meanings of the system's and OpenSSL's error codes. */
const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name cannot be looked up',
  EAI_AGAIN: 'its name cannot be looked up at the moment',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection broke',
  EHOSTUNREACH: 'its network cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
  ETIMEDOUT: 'it does not answer',
  EPROTO: 'it does not speak TLS',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for a different name',
  CERT_HAS_EXPIRED: 'its certificate has expired',
}

/** Explains an error in our own words, because its message may quote another program's text. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection failed'
  if (!('code' in error)) return error.message
  const code = String(error.code)
  if (/CERT|SIGNATURE|ISSUER/.test(code) && !(code in REASONS)) {
    return `its certificate is not trusted (${code}); NODE_EXTRA_CA_CERTS adds an authority`
  }
  return REASONS[code] ?? `the connection failed (${code})`
}
