/** Sends a request to a service, with limits of time and size, and reads a JSON answer. Does not follow redirects. */
import { boundedBody } from '../../bounded-body.ts'
import { isObject, type JsonObject, objectIn } from '../../foreign-json.ts'
import { ServiceAway, ServiceRefusal } from '../context.ts'

export interface Answer {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  /** Undefined if the answer is not a JSON object, such as a page from a reverse proxy. */
  readonly body: JsonObject | undefined
  readonly text: string
  /** The size of the credential in the request; 0 without one. */
  readonly credentialBytes: number
  /** The size of the request's body. */
  readonly bodyBytes: number
}

/** Returns the sizes of a request, for messages about refusals because of size. */
export const sizesOf = ({ headers = {}, body }: Question): Pick<Answer, 'credentialBytes' | 'bodyBytes'> => ({
  credentialBytes: Math.max(0, ...CREDENTIALS.map((name) => Buffer.byteLength(headers[name] ?? ''))),
  bodyBytes:
    body instanceof Uint8Array
      ? body.length
      : body === undefined || body === null
        ? 0
        : Buffer.byteLength(String(body)),
})

/** The headers that carry credentials. */
const CREDENTIALS = ['authorization', 'macaroons']

export interface Question extends Pick<RequestInit, 'method' | 'body'> {
  readonly headers?: Readonly<Record<string, string>>
  /** How long the whole answer can take, in milliseconds. */
  readonly patience?: number
  /** The largest answer in bytes. Default: enough for the largest one with tokens. */
  readonly most?: number
  /** The option or variable with the address, for messages. Default: `--url`. */
  readonly addressIn?: string
}

/** The error for a connection that failed, or an answer that did not arrive in time. */
export class NoAnswer extends ServiceAway {
  override readonly aboutAddress = true
  readonly tooSlow: boolean
  /** The error code of the system or of the TLS library. */
  readonly code: string | undefined

  constructor(message: string, { tooSlow = false, code }: { tooSlow?: boolean; code?: string } = {}) {
    super(message)
    this.tooSlow = tooSlow
    this.code = code
  }

  /** Whether a retry would fail in the same way: a certificate is wrong, or clients refuse the port. */
  get lasting(): boolean {
    return this.code !== undefined && /CERT|SIGNATURE|bad port/.test(this.code)
  }
}

const PATIENCE_MS = 30_000
/** The service's largest answer has two macaroons and a token, of at most 48 KiB each. */
const MOST_BYTES = 256 * 1024

/** Sends a request. Throws {@link NoAnswer}, and `ServiceRefusal` for a redirect or an answer that is too long. */
export async function ask(url: string, question: Question = {}): Promise<Answer> {
  const { patience = PATIENCE_MS, most = MOST_BYTES, addressIn = '--url', headers, ...init } = question
  const wait = { patience, addressIn }
  const response = await received(url, wait, () =>
    fetch(url, {
      ...init,
      headers: { accept: 'application/json', ...headers },
      redirect: 'manual',
      signal: AbortSignal.timeout(patience),
    }),
  )
  await refuseRedirect(response, url, addressIn)
  const { status } = response
  const bytes = await received(url, wait, () => boundedBody(response.body, most))
  if (bytes === undefined) {
    throw new ServiceRefusal(
      `${placeOf(url)} answered with more than ${most / 1024} KiB. Check ${addressIn}.`,
    )
  }
  const text = bytes.toString('utf8')
  return { url, status, headers: response.headers, body: objectIn(text), text, ...sizesOf(question) }
}

/** Throws `ServiceRefusal` for a redirect. */
export async function refuseRedirect(
  { status, body }: Pick<Response, 'status' | 'body'>,
  url: string,
  addressIn = '--url',
): Promise<void> {
  if (status < 300 || status >= 400) return
  await body?.cancel()
  throw new ServiceRefusal(
    `${placeOf(url)} redirects to another address, and redirects are not followed. Give the address of the service itself with ${addressIn}.`,
  )
}

/** Sends a request and returns the body. Throws as {@link ask} does, and {@link refusalIn} for any status but 200. */
export async function askFor(url: string, question: Question = {}): Promise<JsonObject> {
  const answer = await ask(url, question)
  if (answer.status === 200 && answer.body !== undefined) return answer.body
  throw refusalIn(answer)
}

/** Returns a POST request with JSON. */
export const withJson = (body: unknown, headers: Readonly<Record<string, string>> = {}): Question => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

/** Returns the service's own explanation of a refusal, in the form of the API or of the bakery. */
export function refusalIn(answer: Answer): ServiceRefusal | ServiceAway {
  const { url, status, body = {} } = answer
  const [first]: readonly unknown[] = Array.isArray(body['error_list']) ? body['error_list'] : []
  const { code, message } = isObject(first) ? first : { code: body['Code'], message: body['Message'] }
  const said = typeof message === 'string' && message !== '' ? message.slice(0, 1000) : undefined
  const where = placeOf(url)
  if (said === undefined) return unexplained(answer)
  if (status === 429 || status >= 500) return new ServiceAway(`${where}: ${said}`)
  return new ServiceRefusal(`${where}: ${said}`, typeof code === 'string' ? { code: code.slice(0, 64) } : {})
}

/** Explains a refusal without a reason, which cannot be the service's own. `addressIn`: as in {@link Question}. */
export function unexplained(answer: Answer, addressIn?: string): ServiceRefusal | ServiceAway {
  const { url, status } = answer
  const where = placeOf(url)
  const inFront = refusedInFront(answer, where)
  if (inFront) return inFront
  if (status === 429 || status >= 500) {
    return new ServiceAway(`${where} answered with status ${status} and no reason. Check its log.`)
  }
  return strangeAnswer(url, `status ${status} and no reason`, undefined, addressIn)
}

/** The error for an answer that a Ratafia service would not give. */
export const strangeAnswer = (
  url: string,
  what: string,
  cause?: unknown,
  addressIn = '--url',
): ServiceRefusal =>
  new ServiceRefusal(
    `${placeOf(url)} answered with ${what}. It may be another program. Check ${addressIn}.`,
    {
      aboutAddress: true,
      cause,
    },
  )

/** Returns a URL without its query, which is a secret in the URL of a login. */
export function placeOf(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

/** Returns whether a part of an answer is the address of a page or of a service. */
export const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value)

/** Returns the result of `work`. Throws {@link NoAnswer} for network errors. */
export async function received<T>(
  url: string,
  { patience, addressIn }: { readonly patience: number; readonly addressIn: string },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') {
      throw new NoAnswer(`${placeOf(url)} did not answer within ${patience / 1000} seconds. Try again.`, {
        tooSlow: true,
      })
    }
    const { code, reason: known } = reasonOf(error)
    const mayHaveTls = code !== undefined && CLOSED.has(code) && url.startsWith('http:')
    const reason = mayHaveTls ? `${known}. If it speaks https, write https:// in the address` : known
    throw new NoAnswer(
      `${placeOf(url)} cannot be reached: ${reason}. Check ${addressIn}, or try again.`,
      code === undefined ? {} : { code },
    )
  }
}

const WITHOUT_TLS = 'it does not speak https there. If it speaks http, write http:// in the address'
/** The errors of a request without TLS to a server with TLS. */
const CLOSED = new Set(['ECONNRESET', 'UND_ERR_SOCKET', 'HPE_INVALID_CONSTANT'])

/** The reasons, by the error code of the system or of the TLS library. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no host with this name',
  EAI_AGAIN: 'the name cannot be looked up at the moment',
  EHOSTUNREACH: 'there is no route to that host',
  ENETUNREACH: 'there is no route to that network',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  HPE_INVALID_CONSTANT: 'it does not speak http',
  ERR_SSL_WRONG_VERSION_NUMBER: WITHOUT_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: WITHOUT_TLS,
  EPROTO: WITHOUT_TLS,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for a different name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'this machine does not trust its certificate (NODE_EXTRA_CA_CERTS names more)',
  SELF_SIGNED_CERT_IN_CHAIN: 'this machine does not trust its certificate (NODE_EXTRA_CA_CERTS names more)',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'this machine does not trust its certificate (NODE_EXTRA_CA_CERTS names more)',
}

function reasonOf(error: unknown): { readonly reason: string; readonly code?: string } {
  const cause = error instanceof Error ? error.cause : undefined
  const { code, message } = isObject(cause) ? cause : {}
  if (typeof code === 'string') return { reason: REASONS[code] ?? code, code }
  return message === 'bad port'
    ? { reason: 'browsers and other clients refuse to use that port', code: message }
    : { reason: 'the connection failed' }
}

/** The error for a proxy that does not reach the service. */
class NotBehind extends ServiceAway {
  override readonly aboutAddress = true
}

/**
 * Returns the error for an answer from something in front of the service; undefined if it may be the
 * service's own, or another program's. `where`: the address, for people.
 */
function refusedInFront(
  { status, body, credentialBytes, bodyBytes }: Answer,
  where: string,
): ServiceRefusal | ServiceAway | undefined {
  if (body !== undefined) return undefined
  const begin = `${where}: something in front of the service`
  if (status === 400 || status === 431) {
    const size =
      credentialBytes === 0
        ? ''
        : ` The token in it has ${credentialBytes} bytes. Does the proxy accept headers that long? nginx does with large_client_header_buffers.`
    return new ServiceRefusal(
      `${begin} refuses the request with status ${status}.${size} Its log has the reason.`,
    )
  }
  if (status === 413) {
    return new ServiceRefusal(
      `${begin} refuses a body of ${bodyBytes} bytes with status 413. Raise its limit, in nginx with client_max_body_size.`,
    )
  }
  if (status === 401 || status === 403 || status === 407 || status === 451) {
    return new ServiceRefusal(
      `${begin} refuses the request with status ${status}: a firewall, or a proxy that requires another login. Ask its operator to let this path through.`,
    )
  }
  if (status === 429)
    return new ServiceAway(`${begin} accepts no more requests at the moment (status 429). Try again later.`)
  if (status >= 502 && status <= 504) {
    const why = status === 504 ? 'the service did not answer in time' : 'it does not reach the service'
    return new NotBehind(
      `${begin} answers with status ${status}: ${why}. Is the service running, and does the proxy pass this path to its address?`,
    )
  }
  return undefined
}
