/** Forwards a registration to another device service, and returns its answer (contract/devices.md, decision 14). */
import { RequestError, Unavailable } from '../../../errors.ts'

/** The part of the platform's `fetch` that this module uses. */
type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface ForwardedRequest {
  /** A URL that the operator allowed. */
  readonly url: string
  /** The headers as received, with lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Uint8Array
  /** Aborts when the client disconnects. */
  readonly signal?: AbortSignal
}

export interface ForwardedAnswer {
  readonly status: number
  /** As received, but JSON is exactly `application/json`: otherwise snapd does not show the message (1.0). */
  readonly contentType: string | undefined
  readonly body: Uint8Array
}

export interface ForwardDependencies {
  readonly fetch: Fetch
  /** The time until the answer must be complete, in milliseconds. */
  readonly timeout?: number
  /** Names of additional headers to pass on besides those of {@link FORWARDED}, in lower case. */
  readonly forwardedHeaders?: readonly string[]
}

/** Less than the 30 seconds that snapd waits. */
const TIMEOUT_MS = 20_000
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/**
 * POSTs the request and returns answers with 2xx or 4xx. Throws `Unavailable` for everything else: no answer, a late
 * one, one larger than 4 MiB, a redirect, a 5xx, or a 429, which would make snapd give up instead of retrying.
 */
export async function forward(
  { url, headers, body, signal }: ForwardedRequest,
  { fetch, timeout = TIMEOUT_MS, forwardedHeaders = [] }: ForwardDependencies,
): Promise<ForwardedAnswer> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: passedOn(headers, [...FORWARDED, ...forwardedHeaders]),
      body: new Uint8Array(body),
      // Redirects are never followed: only the configured URL receives data.
      redirect: 'manual',
      signal: AbortSignal.any([AbortSignal.timeout(timeout), ...(signal ? [signal] : [])]),
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
 * The headers that snapd sends with a registration, and the key that serial-vault accepts (contract/devices.md 2.1, 5).
 * No others: a client's credentials for this service, and what proxies add about it, are not for the other service.
 */
const FORWARDED = ['accept', 'api-key', 'content-type', 'snap-device-capabilities', 'user-agent']

function passedOn(headers: ForwardedRequest['headers'], names: readonly string[]): [string, string][] {
  // Headers that `Connection` names are for this connection only.
  const named = String(headers['connection'] ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
  const kept = names.flatMap((name): [string, string][] => {
    const value = headers[name]
    // Node's parser can let control characters through; `fetch` throws on them.
    const isSendable = value !== undefined && !/[^\t\x20-\x7e\x80-\xff]/.test(String(value))
    return isSendable && !named.includes(name) ? [[name, String(value)]] : []
  })
  // Unpacking untrusted data could take any amount of memory.
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
    // Leaving the loop cancels the rest of the body.
    if (length > MAX_ANSWER_BYTES) {
      throw unavailable(url, `its answer is larger than ${MAX_ANSWER_BYTES} bytes`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const unavailable = (where: string, why: string, cause?: unknown): Unavailable =>
  new Unavailable(`The device service at ${where} cannot be used: ${why}.`, { cause })

/** `url` is the operator's text, never the client's, and has a slash at the end. */
export type Destination = { readonly at: 'here' } | { readonly at: 'elsewhere'; readonly url: string }

export interface DeviceServices {
  /** This service's URL. It handles every address below it. */
  readonly baseUrl: string
  /** The other services to forward to. Each has a slash at the end. */
  readonly allowed: readonly string[]
}

/**
 * Reads the header and returns the destination: `here` without a header. Throws `device-service-not-allowed` for an
 * address that is neither below the base URL nor equal to an allowed one in scheme, host, port and path.
 */
export function destinationOf(header: string | undefined, { baseUrl, allowed }: DeviceServices): Destination {
  if (header === undefined) return { at: 'here' }
  const asked = parse(header)
  if (asked?.startsWith(`${new URL(baseUrl).href.replace(/\/$/, '')}/`)) return { at: 'here' }
  const url = allowed.find((one) => new URL(one).href === asked)
  if (url !== undefined) return { at: 'elsewhere', url }
  throw new RequestError(
    'device-service-not-allowed',
    `X-Snap-Device-Service-URL names ${asked ? shown(asked) : 'no plain http or https address'}, and this service does not forward registrations there. Ask its operator to allow it.`,
  )
}

/**
 * Normalises an address for comparison, with the slash at the end that snapd adds. Returns undefined for
 * anything but a plain address: forms that URL parsers disagree about (backslashes, spaces, credentials,
 * several in one) are refused here.
 */
function parse(text: string): string | undefined {
  if (text.length > MAX_LENGTH || !/^https?:\/\/[^/\\@?#,\s][!-~]*$/i.test(text) || /[\\@?#,]/.test(text)) {
    return undefined
  }
  if (!URL.canParse(text)) return undefined
  const { href } = new URL(text)
  return href.endsWith('/') ? href : `${href}/`
}

const MAX_LENGTH = 2048

/** Shortens the address to fit a line in `snap changes`. */
const shown = (url: string): string => (url.length > 128 ? `${url.slice(0, 128)}…` : url)
