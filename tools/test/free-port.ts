/** Finds ports for servers in other programs, which can't be passed a listening socket. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * The lowest port to return. All are below the range that systems choose ports from themselves (by default from 32768
 * on Linux and from 49152 elsewhere), because a free port in that range can be in use a moment later.
 */
const LOWEST = 10_000
const HIGHEST = 32_767

/** Each process starts at different ports, so that it seldom meets one that another process has claimed. */
const PORTS_PER_PROCESS = 32
const PROCESSES = Math.floor((HIGHEST - LOWEST + 1) / PORTS_PER_PROCESS)

let next = LOWEST + (process.pid % PROCESSES) * PORTS_PER_PROCESS

/**
 * Returns a port of 127.0.0.1 that no server listens on and that no other process got from here: a new one each time.
 * Throws an Error if all are in use.
 */
export async function freePort(): Promise<number> {
  for (let tried = LOWEST; tried <= HIGHEST; tried += 1) {
    const port = next
    next = port === HIGHEST ? LOWEST : port + 1
    if ((await claim(port)) && (await isFree(port))) return port
  }
  throw new Error(`All ports of 127.0.0.1 from ${LOWEST} to ${HIGHEST} are in use.`)
}

/**
 * Claims a port until this process ends, by the UDP port of the same number: only one process can have it, and the system
 * frees it however the process ends. Returns whether it was free.
 */
async function claim(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref()
  try {
    await once(socket.bind({ port, address: '127.0.0.1', exclusive: true }), 'listening')
    return true
  } catch (error) {
    socket.close()
    return refuseUnlessInUse(error)
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch (error) {
    return refuseUnlessInUse(error)
  }
  server.close()
  await once(server, 'close')
  return true
}

/** Returns false for an address in use. Throws other errors. */
function refuseUnlessInUse(error: unknown): false {
  if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
  return false
}
