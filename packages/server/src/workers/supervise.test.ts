/** The supervisor alone. With real workers: `test/processes/`. */
import assert from 'node:assert/strict'
import cluster from 'node:cluster'
import { test } from 'node:test'
import { localCounters } from '../counters.ts'
import { createLog } from '../telemetry/log.ts'
import { supervise } from './supervise.ts'

test('a signal that came before there were workers is heard: none is started', async () => {
  // Were one started, it would be nothing but a Node that says its version.
  cluster.setupPrimary({ execArgv: ['--version'] })
  let started = 0
  cluster.on('fork', () => {
    started += 1
  })
  await supervise({
    workers: 2,
    host: '127.0.0.1',
    port: 0,
    log: createLog({ level: 'silent', pretty: false }),
    counters: localCounters({ clock: () => new Date(0) }),
    waitingCode: 3,
    patienceMs: 1_000,
    // There is more to wait for between the signal and the workers.
    metrics: { host: '127.0.0.1', port: 0 },
    onListening: () => assert.fail('nobody listens'),
    signal: Promise.resolve('SIGTERM'),
  })
  assert.equal(started, 0)
})
