/** A client for very many requests: one connection, many requests ahead of their answers, statuses in order. */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'

export interface RawRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** The bytes of a request. Header values are Latin-1 without line ends: what is else never reaches a handler. */
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
  /** Status line and headers. */
  readonly head: string
  readonly body: Buffer
}

/** As many requests may be sent ahead of their answers. */
const AHEAD = 16

/** Sends the requests and returns the status of each. The server has to answer all of them on one connection. */
export async function statusesOf(baseUrl: string, requests: readonly RawRequest[]): Promise<number[]> {
  return (await answersOf(baseUrl, requests)).map(({ status }) => status)
}

/** As {@link statusesOf}, with all that was answered. */
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
        // A 304 has no body (RFC 9110, 15.4.5).
        const isEmpty = /^HTTP\/1\.1 304 /.test(head)
        const length = isEmpty
          ? 0
          : Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? assert.fail(`no length: ${head}`))
        if (unread.length < end + 4 + length) return sendMore()
        const body = unread.subarray(end + 4, end + 4 + length)
        answers.push({ status: Number(head.slice(9, 12)), head, body })
        unread = unread.subarray(end + 4 + length)
        if (answers.length === count) resolve(answers)
      }
    })
  })
}
