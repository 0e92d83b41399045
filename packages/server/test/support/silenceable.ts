import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'

/** A proxy before `server` that passes bytes on or, told so, silently drops them, as a broken network does. */
export async function silenceable(server: URL) {
  const sockets = new Set<Socket>()
  let silent = false
  const listener = createServer((client) => {
    const upstream = connect(Number(server.port), server.hostname)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk) => silent || to.write(chunk))
      from.on('error', () => {})
      from.on('close', () => to.destroy())
    }
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address()
  assert.ok(address !== null && typeof address === 'object')
  const url = new URL(server)
  url.port = String(address.port)
  return {
    url: url.href,
    silence: (value: boolean) => {
      silent = value
    },
    close: () => {
      listener.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
