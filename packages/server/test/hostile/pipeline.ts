/** A client for very many requests: one connection, many requests ahead of their answers, statuses in order. */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'

export interface RawRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** Returns the bytes of a request. Header values are Latin-1 without line ends: others never reach a handler. */
export function requestBytes({ method, path, headers, body }: RawRequest): Buffer {
  const content = typeof body === 'string' ? Buffer.from(body) : Buffer.from(body ?? [])
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'host: hostile',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(method === 'GET' ? [] : [`content-length: ${content.length}`]),
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), content])
}

export interface PipelinedAnswer {
  readonly status: number
  /** The status line and headers. */
  readonly head: string
  readonly body: Buffer
}

/** How many requests can be sent ahead of their answers. */
const AHEAD = 16

/** Sends the requests and returns each status. The server must answer them all on one connection. */
export async function statusesOf(baseUrl: string, requests: readonly RawRequest[]): Promise<number[]> {
  return (await answersOf(baseUrl, requests)).map(({ status }) => status)
}

/** Does what {@link statusesOf} does, and returns the whole answers. */
export async function answersOf(
  baseUrl: string,
  requests: readonly RawRequest[],
): Promise<PipelinedAnswer[]> {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect({ port: Number(port), host: hostname, noDelay: true })
  try {
    return await readAnswers(socket, requests)
  } finally {
    socket.destroy()
  }
}

function readAnswers(socket: Socket, requests: readonly RawRequest[]): Promise<PipelinedAnswer[]> {
  const count = requests.length
  return new Promise((resolve, reject) => {
    const answers: PipelinedAnswer[] = []
    let sent = 0
    const sendMore = () => {
      const next = requests.slice(sent, answers.length + AHEAD)
      sent += next.length
      if (next.length > 0) socket.write(Buffer.concat(next.map(requestBytes)))
    }
    sendMore()
    let unread: Buffer = Buffer.alloc(0)
    socket.on('error', reject)
    socket.on('close', () =>
      reject(new Error(`the connection ended after ${answers.length} of ${count} answers`)),
    )
    socket.on('data', (chunk) => {
      unread = Buffer.concat([unread, chunk])
      for (;;) {
        const end = unread.indexOf('\r\n\r\n')
        if (end < 0) return sendMore()
        const head = unread.subarray(0, end).toString('latin1')
        const found = bodyIn(unread.subarray(end + 4), head)
        if (!found) return sendMore()
        answers.push({ status: Number(head.slice(9, 12)), head, body: found.body })
        unread = unread.subarray(end + 4 + found.length)
        if (answers.length === count) resolve(answers)
      }
    })
  })
}

/** Returns the body at the beginning of these bytes, and the bytes it uses; undefined while some are missing. */
function bodyIn(bytes: Buffer, head: string): { readonly body: Buffer; readonly length: number } | undefined {
  // A 304 has no body (RFC 9110, 15.4.5).
  if (/^HTTP\/1\.1 304 /.test(head)) return { body: Buffer.alloc(0), length: 0 }
  if (/^transfer-encoding: chunked$/im.test(head)) return chunksIn(bytes)
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? assert.fail(`no length: ${head}`))
  return bytes.length < length ? undefined : { body: bytes.subarray(0, length), length }
}

function chunksIn(bytes: Buffer): { readonly body: Buffer; readonly length: number } | undefined {
  const chunks: Buffer[] = []
  for (let start = 0; ; ) {
    const end = bytes.indexOf('\r\n', start)
    if (end < 0) return undefined
    const size = Number.parseInt(bytes.subarray(start, end).toString('latin1'), 16)
    const next = end + 2 + size + 2
    if (bytes.length < next) return undefined
    if (size === 0) return { body: Buffer.concat(chunks), length: next }
    chunks.push(bytes.subarray(end + 2, end + 2 + size))
    start = next
  }
}
