import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'

/**
 * A proxy in front of `server` that can fall silent, as a broken network does. Bytes sent during a silence arrive after
 * it, in order: TCP delays or resets, but loses nothing from the middle of a stream.
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
