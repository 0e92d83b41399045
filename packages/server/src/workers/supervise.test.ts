/** Tests the supervisor alone. `test/processes/` has tests with real workers. */
import assert from 'node:assert/strict'
import cluster from 'node:cluster'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { WorkersFailed } from '../errors.ts'
import { localCounters } from '../limits/counters.ts'
import { createLog } from '../telemetry/log.ts'
import { supervise } from './supervise.ts'

const OPTIONS = {
  workers: 2,
  host: '127.0.0.1',
  port: 0,
  log: createLog({ level: 'silent', pretty: false }),
  counters: localCounters({ clock: () => new Date(0) }),
  release: '1.2.3',
  waitingCode: 3,
  replacedCode: 6,
  patienceMs: 1_000,
}

test('does not start workers after an earlier signal', async () => {
  // A worker, if one were started, would be a Node that prints its version.
  cluster.setupPrimary({ execArgv: ['--version'] })
  let started = 0
  cluster.on('fork', () => {
    started += 1
  })
  await supervise({
    ...OPTIONS,
    // Adds more waiting between the signal and the workers.
    tls: undefined,
    metrics: { host: '127.0.0.1', port: 0 },
    onListening: () => assert.fail('no worker listens'),
    signal: Promise.resolve('SIGTERM'),
  })
  assert.equal(started, 0)
})

test('reports the address as soon as one worker listens, even if others fail', async () => {
  // The first worker listens; the second exits before it does.
  const worker = `
    import cluster from 'node:cluster'
    if (cluster.worker.id !== 1) process.exit(9)
    process.send({ ratafia: 'listening', release: '1.2.3', origin: 'http://127.0.0.1:1', first: { step: 'ready' } })
    process.on('message', () => process.exit(0))`
  const module = `data:text/javascript,${encodeURIComponent(worker)}`
  cluster.setupPrimary({ exec: '/dev/null', execArgv: ['--import', module] })
  const said: unknown[] = []
  const running = supervise({
    ...OPTIONS,
    metrics: undefined,
    tls: undefined,
    onListening: (...words) => said.push(words),
    signal: new Promise(() => {}),
  })
  await assert.rejects(running, WorkersFailed)
  assert.deepEqual(said, [['http://127.0.0.1:1', { step: 'ready' }]])
})

test('stops for a worker of a release that does not compare releases', async () => {
  const worker = `
    process.send({ ratafia: 'listening', origin: 'http://127.0.0.1:1', first: { step: 'ready' } })
    setInterval(() => {}, 60_000)`
  const module = `data:text/javascript,${encodeURIComponent(worker)}`
  cluster.setupPrimary({ exec: '/dev/null', execArgv: ['--import', module] })
  const running = supervise({
    ...OPTIONS,
    metrics: undefined,
    tls: undefined,
    onListening: () => assert.fail('it must not be announced'),
    signal: new Promise(() => {}),
  })
  await assert.rejects(running, { name: 'WorkersFailed', exitCode: 6 })
})

test('logs why a worker cannot be started', async () => {
  let lines = ''
  const to = new Writable({
    write: (line, _encoding, done) => {
      lines += line
      done()
    },
  })
  const { execPath } = process
  process.execPath = '/nonexistent/ratafia'
  try {
    const running = supervise({
      ...OPTIONS,
      log: createLog({ level: 'error', pretty: false, to }),
      metrics: undefined,
      tls: undefined,
      onListening: () => assert.fail('nothing listens'),
      signal: new Promise(() => {}),
    })
    await assert.rejects(running, WorkersFailed)
  } finally {
    process.execPath = execPath
  }
  const { err, msg } = JSON.parse(lines)
  assert.equal(msg, 'a worker exited before it was listening')
  assert.match(err.message, /ENOENT/)
})
