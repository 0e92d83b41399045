/** Finds ports for servers in other programs, which can't be passed a listening socket. */
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * The lowest port to return. All are below the range that systems choose ports from themselves (by default from 32768
 * on Linux and from 49152 elsewhere), because a free port in that range can be in use a moment later.
 */
const LOWEST = 10_000
const HIGHEST = 32_767

/** Each process starts at different ports, so that two processes don't choose the same port at the same time. */
const PORTS_PER_PROCESS = 32
const PROCESSES = Math.floor((HIGHEST - LOWEST + 1) / PORTS_PER_PROCESS)

let next = LOWEST + (process.pid % PROCESSES) * PORTS_PER_PROCESS

/** Returns a port of 127.0.0.1 that no server listens on, a new one each time. Throws an Error if all are in use. */
export async function freePort(): Promise<number> {
  for (let tried = LOWEST; tried <= HIGHEST; tried += 1) {
    const port = next
    next = port === HIGHEST ? LOWEST : port + 1
    if (await isFree(port)) return port
  }
  throw new Error(`All ports of 127.0.0.1 from ${LOWEST} to ${HIGHEST} are in use.`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
    throw error
  }
  server.close()
  await once(server, 'close')
  return true
}
