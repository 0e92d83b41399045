import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'

/**
 * Starts a proxy in front of `server` that can fall silent, like a broken network. Bytes sent during a silence arrive
 * after it, in order, because TCP may delay or reset a stream but loses nothing from its middle.
 */
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
      if (silent) from.pause()
      from.on('data', (chunk) => to.write(chunk))
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
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
      for (const socket of sockets) socket[value ? 'pause' : 'resume']()
    },
    close: () => {
      listener.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
