/** Asks the service of this host whether it is ready, with no library: `ratafia health` runs every few seconds. */
import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { objectIn, objectsIn } from '../../foreign-json.ts'
import { nodeHttps, request as requestHttp } from '../../node-http.ts'

export interface ReadyAnswer {
  readonly url: string
  /** Whether it is ready; undefined if nothing listens there. */
  readonly ready: boolean | undefined
  /** Why it is not ready. */
  readonly why?: string
  /** The SHA-256 fingerprint of the certificate that it serves; undefined without TLS. */
  readonly fingerprint?: string | undefined
}

/** Longer than the service waits for its database before it answers. */
const PATIENCE_MS = 5_000
/** More than the answer to a health check has. */
const MOST_BYTES = 16 * 1024

/**
 * Requests `/health/ready` at `url`, the service's own socket, without a trailing slash. Never rejects. Does not verify
 * the certificate, which names the service and not this socket: no secret is sent, and the answer is about this host.
 */
export async function askReady(url: string, patienceMs = PATIENCE_MS): Promise<ReadyAnswer> {
  const signal = AbortSignal.timeout(patienceMs)
  try {
    const { response, body } = await get(`${url}/health/ready`, signal)
    const fingerprint = fingerprintOf(response)
    const document = objectIn(body) ?? {}
    if (response.statusCode === 200 && document['status'] === 'ready')
      return { url, ready: true, fingerprint }
    const [refusal] = objectsIn(document['error_list'])
    const why = refusal?.['message'] ?? `it answers ${response.statusCode} to /health/ready.`
    return { url, ready: false, why: String(why), fingerprint }
  } catch {
    if (!signal.aborted) return { url, ready: undefined }
    return { url, ready: false, why: `it does not answer within ${patienceMs / 1000} seconds.` }
  }
}

interface Got {
  readonly response: IncomingMessage
  readonly body: string
}

function get(url: string, signal: AbortSignal): Promise<Got> {
  return new Promise((resolve, reject) => {
    const begin = url.startsWith('https:') ? nodeHttps().request : requestHttp
    const request = begin(url, { agent: false, signal, rejectUnauthorized: false }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text
        if (body.length > MOST_BYTES) request.destroy(new Error('too long'))
      })
      response.once('end', () => resolve({ response, body }))
      response.once('error', reject)
    })
    request.once('error', reject)
    request.end()
  })
}

const fingerprintOf = ({ socket }: IncomingMessage): string | undefined =>
  'encrypted' in socket
    ? (socket as unknown as TLSSocket).getPeerX509Certificate()?.fingerprint256
    : undefined
