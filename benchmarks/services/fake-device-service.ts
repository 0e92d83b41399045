/**
 * snapd's stand-in for a device service (`tests/lib/fakedevicesvc` of its sources): it signs a serial for every request
 * whose own signature is right, with a key of 4096 bits. It stores nothing, and checks neither the model nor the
 * request-id. `benchmarks/setup` builds it.
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
  // It does not say when it listens.
  while (!(await isOpen(port))) await sleep(50)
  const stop = async () => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  return { pid: child.pid ?? 0, port, stop }
}

/** The two requests of a registration, at its addresses. */
export async function registerThere(unit: Unit, wire: Wire): Promise<void> {
  const [target] = wire.targets
  if (!target) throw new TypeError('there is a service')
  const asked = await wire.send(target, { kind: 'request-id', method: 'POST', path: '/request-id' })
  const requestId = JSON.parse(asked.body)['request-id']
  const { status } = await wire.send(target, { ...registration(unit, requestId), path: '/serial' })
  if (status !== 200) throw new Error(`it was answered ${status}`)
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  // It rejects with the error if nothing listens.
  const open = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return open
}
