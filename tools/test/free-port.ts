/** Ports for servers that other programs start, so that no listening socket can be handed to them. */
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below the ports that systems choose by themselves, from 32768 on Linux and 49152 elsewhere: one of those that was free
 * can belong to a connection or a server of another test a moment later, and then the program cannot start.
 */
const LOWEST = 10_000
const HIGHEST = 32_767
/** Processes that run at the same time begin at ports of their own. */
const FOR_EACH_PROCESS = 32

const places = (HIGHEST - LOWEST + 1) / FOR_EACH_PROCESS
let next = LOWEST + Math.floor(process.pid % places) * FOR_EACH_PROCESS

/** A port of 127.0.0.1 on which nobody listens. No process is given the same one twice. */
export async function freePort(): Promise<number> {
  for (let tried = LOWEST; tried <= HIGHEST; tried += 1) {
    const port = next
    next = port === HIGHEST ? LOWEST : port + 1
    if (await isFree(port)) return port
  }
  throw new Error(`No port from ${LOWEST} to ${HIGHEST} is free on 127.0.0.1.`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
