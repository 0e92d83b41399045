/** Opens hostile connections, which cost a service something but make no useful requests. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A kind of hostile connection: the bytes that it sends first, and those that it then sends one by one. */
export interface BadKind {
  readonly name: string
  readonly begin: string
  readonly trickle?: string
  /** Whether it never reads the responses. */
  readonly deaf?: boolean
}

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n'
const DEVICES = 'POST /api/v1/snaps/auth/devices HTTP/1.1\r\nHost: x\r\n'

export const BAD_KINDS: readonly BadKind[] = [
  { name: 'say nothing', begin: '' },
  { name: 'are idle after a request', begin: `${GET}\r\n` },
  { name: 'send headers byte by byte', begin: `${GET}A: `, trickle: 'x' },
  { name: 'send bodies byte by byte', begin: `${DEVICES}Content-Length: 4000000\r\n\r\n`, trickle: 'x' },
  {
    ...{ name: 'do not read their answers', deaf: true },
    begin: 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3),
  },
]

export interface Bad {
  /** Returns how many are still open. */
  open(): number
  close(): void
}

// Sending a byte on every connection takes ten seconds.
const TRICKLE_MS = 10
const TRICKLES = 1_000

/** Opens connections from a few addresses of this machine, so that there are enough ports. */
export async function openBad(kind: BadKind, port: number, count: number): Promise<Bad> {
  const sockets: Socket[] = []
  for (let made = 0; made < count; made++) {
    const socket = connect({ host: '127.0.0.1', port, localAddress: `127.0.1.${1 + (made % 4)}` })
    socket.on('error', () => {}).on('end', () => socket.destroy())
    if (kind.deaf) socket.pause()
    else socket.resume()
    sockets.push(socket)
    await Promise.race([once(socket, 'connect').catch(() => {}), once(socket, 'close')])
    if (!socket.destroyed) socket.write(kind.begin)
  }
  let next = 0
  const trickling = setInterval(() => {
    for (let at = 0; kind.trickle !== undefined && at < count / TRICKLES; at++) {
      const socket = sockets[next++ % sockets.length]
      if (socket && !socket.destroyed) socket.write(kind.trickle)
    }
  }, TRICKLE_MS)
  return {
    open: () => sockets.filter(({ destroyed }) => !destroyed).length,
    close: () => {
      clearInterval(trickling)
      for (const socket of sockets) socket.destroy()
    },
  }
}
