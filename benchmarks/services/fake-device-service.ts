/**
 * Starts snapd's fake device service (`tests/lib/fakedevicesvc` in its sources). It signs a serial with a key of 4096
 * bits for every request with a valid signature. It stores nothing, and checks neither the model nor the request-id.
 * `benchmarks/setup` builds it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { registration, type Unit } from '../../faults/load/device.ts'
import type { Wire } from '../../faults/load/wire.ts'
import { endWithThisProcess, sleep } from '../../faults/world/processes.ts'
import { freePort } from '../../tools/test/free-port.ts'
import { onCores, SERVER_CORE } from '../harness/cores.ts'

export interface FakeDeviceService {
  readonly pid: number
  readonly port: number
  stop(): Promise<void>
}

const PROGRAM = join(import.meta.dirname, '../.bin/fakedevicesvc')

export async function startFakeDeviceService(): Promise<FakeDeviceService> {
  if (!existsSync(PROGRAM)) throw new Error('fakedevicesvc is not installed: run benchmarks/setup.')
  const port = await freePort()
  const [words, args] = onCores(SERVER_CORE, [PROGRAM, `127.0.0.1:${port}`])
  const child = endWithThisProcess(
    spawn(words, args, { env: { ...process.env, GOMAXPROCS: '1' }, stdio: 'ignore' }),
  )
  // It does not print when it listens.
  while (!(await isOpen(port))) await sleep(50)
  const stop = async () => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  return { pid: child.pid ?? 0, port, stop }
}

/** Sends the two requests of a registration to its paths. */
export async function registerThere(unit: Unit, wire: Wire): Promise<void> {
  const [target] = wire.targets
  if (!target) throw new TypeError('a service is required')
  const asked = await wire.send(target, { kind: 'request-id', method: 'POST', path: '/request-id' })
  const requestId = JSON.parse(asked.body)['request-id']
  const { status } = await wire.send(target, { ...registration(unit, requestId), path: '/serial' })
  if (status !== 200) throw new Error(`the registration got ${status}`)
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  // `once` rejects with the error if nothing listens.
  const open = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return open
}
