/** Sends handwritten HTTP, for requests that no client library would send. */
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { assertDocumented } from './openapi.ts'

export interface RawAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  /** Whether the service closed the connection. */
  readonly closed: boolean
}

/** Opens a connection. Returns its socket, and a function that returns the text received so far. */
export function converse(url: string): { readonly socket: Socket; text(): string } {
  const socket = connectTo(url)
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  socket.on('error', () => {})
  return { socket, text: () => text }
}

/** Does not verify a certificate. */
function connectTo(url: string): Socket {
  const { protocol, hostname: host, port } = new URL(url)
  const to = { host, port: Number(port) }
  return protocol === 'https:' ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to)
}

/**
 * Writes bytes to a connection, and reads until it is closed or `count` answers are complete. Fails if the first
 * answer is not as documented.
 */
export async function sendRaw(
  baseUrl: string,
  request: string | Uint8Array,
  count = 1,
): Promise<RawAnswer[]> {
  const answers = await exchange(baseUrl, request, count)
  const [line = ''] = Buffer.from(request).toString('latin1').split('\r\n', 1)
  const [method = '', path = ''] = line.split(' ')
  const [first] = answers
  if (first && path.startsWith('/')) {
    const { status, headers, body: text } = first
    assertDocumented({ method, path, status, headers, text })
  }
  return answers
}

async function exchange(baseUrl: string, request: string | Uint8Array, count: number): Promise<RawAnswer[]> {
  const socket = connectTo(baseUrl)
  socket.setEncoding('utf8').on('error', () => {})
  socket.write(request)
  let text = ''
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`no complete answer, only ${JSON.stringify(text)}`))
    }, 10_000)
    const done = (closed: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answersOf(text, closed))
    }
    socket.on('close', () => done(true))
    socket.on('data', (chunk: string) => {
      text += chunk
      const answers = answersOf(text, false)
      // After `Connection: close`, wait until the connection is closed.
      if (answers.length >= count && answers.at(-1)?.headers.get('connection') !== 'close') done(false)
    })
  })
}

function answersOf(text: string, closed: boolean): RawAnswer[] {
  const answers: RawAnswer[] = []
  let rest = text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return answers
    const [line = '', ...fields] = rest.slice(0, end).split('\r\n')
    const headers = new Map(
      fields.map((field) => [
        field.slice(0, field.indexOf(':')).toLowerCase(),
        field.slice(field.indexOf(':') + 1).trim(),
      ]),
    )
    const length = Number(headers.get('content-length') ?? 0)
    const body = Buffer.from(rest.slice(end + 4))
      .subarray(0, length)
      .toString()
    if (Buffer.byteLength(body) < length && !closed) return answers
    answers.push({ status: Number(line.split(' ')[1]), headers, body, closed })
    rest = rest.slice(end + 4 + body.length)
  }
}
