/** Forwards a registration to another device service, and returns its answer (contract/devices.md, decision 14). */
import { Unavailable } from '../../../errors.ts'

/** The part of the platform's `fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface ForwardedRequest {
  /** One that the operator allowed. */
  readonly url: string
  /** As received, with lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Uint8Array
}

export interface ForwardedAnswer {
  readonly status: number
  /** As received, except that JSON is exactly `application/json`: otherwise snapd shows no message (1.0). */
  readonly contentType: string | undefined
  readonly body: Uint8Array
}

export interface ForwardDependencies {
  readonly fetch: Fetch
  /** Milliseconds until the answer must be complete. */
  readonly timeout?: number
}

/** Less than the 30 seconds that snapd waits. */
const TIMEOUT_MS = 20_000
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/**
 * POSTs, and returns an answer with 2xx or 4xx. Throws `Unavailable` for everything else: no answer, a late one, one
 * larger than 4 MiB, a redirect, a 5xx, or a 429, which would make snapd give up instead of trying again.
 */
export async function forward(
  { url, headers, body }: ForwardedRequest,
  { fetch, timeout = TIMEOUT_MS }: ForwardDependencies,
): Promise<ForwardedAnswer> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: forwardedHeaders(headers),
      body: new Uint8Array(body),
      // Never follow redirects: only the configured URL receives data.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeout),
    })
    const { status } = response
    if (!(status >= 200 && status < 300) && !(status >= 400 && status < 500 && status !== 429)) {
      await response.body?.cancel()
      throw unavailable(url, `it answered with status ${status}`)
    }
    return { status, contentType: contentTypeOf(response), body: await boundedBytes(response, url) }
  } catch (error) {
    throw error instanceof Unavailable ? error : unavailable(url, 'it did not answer', error)
  }
}

/**
 * Headers about one connection or the route to this service, and those that the other service must not believe or
 * obey. The answer must come uncompressed: unpacking foreign data could take any amount of memory.
 */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'forwarded',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
  'x-real-ip',
  'x-snap-device-service-url',
])

function forwardedHeaders(headers: ForwardedRequest['headers']): [string, string][] {
  const named = String(headers['connection'] ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
  const isDropped = (name: string) =>
    NOT_FORWARDED.has(name) || name.startsWith('x-forwarded-') || named.includes(name)
  const kept = Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    // Node's parser may let control characters through; `fetch` throws on them.
    const text = String(value ?? '')
    return isDropped(name) || /[^\t\x20-\x7e\x80-\xff]/.test(text) ? [] : [[name, text]]
  })
  return [...kept, ['accept-encoding', 'identity']]
}

function contentTypeOf({ headers }: Response): string | undefined {
  const type = headers.get('content-type')
  if (type === null) return undefined
  const [media = ''] = type.split(';', 1)
  return media.trim().toLowerCase() === 'application/json' ? 'application/json' : type
}

async function boundedBytes(response: Response, url: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    // Leaving the loop cancels the rest.
    if (length > MAX_ANSWER_BYTES) {
      throw unavailable(url, `its answer has more than ${MAX_ANSWER_BYTES} bytes`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const unavailable = (where: string, why: string, cause?: unknown): Unavailable =>
  new Unavailable(`The device service at ${where} cannot be used: ${why}.`, { cause })
