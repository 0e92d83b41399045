/** How workers are started, replaced and ended, where it does not depend on the database. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { crewOf, isAlive, keepAlive, logged, send, workersOf } from '../support/crew.ts'
import { oneDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { Browser } from '../support/identity.ts'
import { type RunningProgram, testProgram } from '../support/program.ts'
import { discharging } from '../support/waiting-login.ts'

const TWO = { RATAFIA_WORKERS: '2' }
const ROOT = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
const kill = (pid: number | undefined) => process.kill(pid ?? assert.fail('no worker'), 'SIGKILL')

oneDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)
  let running: RunningProgram
  before(async () => {
    running = await program.start(TWO)
  })

  test('prints one line with the address of both workers, and each of them answers', async () => {
    assert.equal(running.stdout().match(/listening on/g)?.length, 1)
    const pids = await crewOf(running)
    for (const pid of pids) {
      // Workers that hang do not delay clients: any other worker accepts the connection.
      const others = pids.filter((other) => other !== pid)
      for (const other of others) process.kill(other, 'SIGSTOP')
      assert.equal((await send(`${running.baseUrl}/health/ready`)).body, '{"status":"ready"}')
      for (const other of others) process.kill(other, 'SIGCONT')
    }
  })

  test('counts failed sign-ins of all workers together', async () => {
    const { Info } = await discharging(running.baseUrl)
    const statuses = await Promise.all(
      Array.from({ length: 16 }, async () => {
        const browser = new Browser({ connection: 'close' })
        const page = await browser.open(Info.InteractionMethods['browser-window'].VisitURL)
        const fields = { ...page.forms[0]?.fields, username: 'unknown', password: 'wrong' }
        return (await browser.post(page.url.replace(/\?.*/, ''), fields)).status
      }),
    )
    assert.deepEqual(statuses.toSorted(), [...Array<number>(10).fill(403), ...Array<number>(6).fill(429)])
  })

  test('refuses a second program on their port, once', async () => {
    const { port } = new URL(running.baseUrl)
    const environment = { ...TWO, RATAFIA_PORT: port }
    const { code, stderr, stdout } = await program.run(['serve'], { environment })
    assert.deepEqual([code, stdout], [4, ''])
    const message = `Cannot listen on 127.0.0.1:${port}: another program uses the port`
    assert.equal(stderr.split(message).length, 2, stderr)
  })

  test('with port 0, new workers have the port of the previous ones, even if none was left', async () => {
    for (const pid of await crewOf(running)) kill(pid)
    await eventually('their deaths are noticed', () => workersOf(running).length === 0)
    await crewOf(running)
    assert.equal((await send(`${running.baseUrl}/health/ready`)).status, 200)
    assert.equal(running.stdout().match(/listening on/g)?.length, 1)
  })

  test('SIGTERM under load: answers every request on a good connection, and leaves no worker', async () => {
    const pids = await crewOf(running)
    const agent = keepAlive(8)
    const outcomes: string[] = []
    const work = async () => {
      for (;;) {
        const { status, error, reused } = await send(`${running.baseUrl}/api/v2/tokens`, { ...ROOT, agent })
        outcomes.push(error === undefined ? String(status) : `${error}${reused ? ' on a good one' : ''}`)
        if (error !== undefined) return
      }
    }
    const working = Promise.all(Array.from({ length: 8 }, work))
    await eventually('clients are working', () => outcomes.length > 50)
    const { code, stderr } = await running.end('SIGTERM')
    assert.equal(code, 0)
    await working
    agent.destroy()
    const kinds = new Set(outcomes)
    // A connection that no worker has accepted yet is refused, or reset together with the listening socket.
    for (const allowed of ['ECONNREFUSED', 'ECONNRESET', 'socket hang up']) kinds.delete(allowed)
    assert.deepEqual([...kinds], ['200'])
    assert.equal(stderr.match(/"msg":"finishing the requests in flight"/g)?.length, 1)
    for (const line of stderr.trimEnd().split('\n')) JSON.parse(line)
    assert.deepEqual(pids.filter(isAlive), [])
  })
})

describe('a supervisor', () => {
  const program = testProgram()

  // A terminal and a service manager signal every process of the group, and the supervisor signals its
  // workers once more.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    test(`${signal} to all processes while workers start: all finish with exit code 0`, async () => {
      const running = await program.start(TWO)
      const { pid = assert.fail('no process') } = running.child
      const workers = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
      for (const worker of workers) process.kill(worker, signal)
      const { code, stderr } = await running.end(signal)
      assert.equal(code, 0, stderr)
      assert.doesNotMatch(stderr, /did not finish/)
    })
  }

  test('without a number, starts a worker per core; if it is killed, its workers finish and end', async () => {
    const running = await program.start({
      RATAFIA_WORKERS: '',
      RATAFIA_BASE_URL: 'https://store.example.com',
    })
    const pids = await crewOf(running, availableParallelism() > 1 ? availableParallelism() : 0)
    // A questionable setting is reported once, not by each worker.
    const warning = /"msg":"RATAFIA_BASE_URL is https, but RATAFIA_TRUSTED_PROXIES is not set\./g
    assert.equal(running.stderr().match(warning)?.length, 1)
    await running.end('SIGKILL')
    await eventually('no worker is left', () => !pids.some(isAlive))
  })

  test('stops being ready first and keeps the port open for load balancers; a second signal ends all immediately', async () => {
    const running = await program.start({ ...TWO, RATAFIA_SHUTDOWN_DELAY: '1h' })
    const pids = await crewOf(running)
    const ready = () => send(`${running.baseUrl}/health/ready`)
    assert.equal((await ready()).body, '{"status":"ready"}')
    running.child.kill('SIGTERM')
    const { body } = await eventually('it is leaving', async () => {
      const outcome = await ready()
      return outcome.status === 503 ? outcome : undefined
    })
    assert.match(String(body), /The service is shutting down\./)
    // This is a new connection, which the answer closes.
    const { status, headers } = await fetch(`${running.baseUrl}/api/v2/tokens`, ROOT)
    assert.deepEqual([status, headers.get('connection')], [200, 'close'])
    assert.equal((await running.end('SIGTERM')).code, 1)
    await eventually('no worker is left', () => !pids.some(isAlive))
  })

  test('a worker that is told to end finishes and is replaced, even in the standalone identity service', async () => {
    const running = await program.start({ ...TWO, RATAFIA_SHUTDOWN_DELAY: '1s' }, ['identity', 'serve'])
    const [pid = 0] = await crewOf(running)
    assert.equal((await send(`${running.baseUrl}/discharge/info`)).status, 200)
    process.kill(pid, 'SIGTERM')
    const [{ exitCode } = assert.fail('no worker died')] = await eventually('it ended', () => {
      const lines = logged(running, 'a worker died and will be replaced')
      return lines.length > 0 ? lines : undefined
    })
    assert.equal(exitCode, 0)
    await crewOf(running)
    assert.equal((await send(`${running.baseUrl}/health/ready`)).status, 200)
    assert.equal((await running.end('SIGTERM')).code, 0)
  })

  // This must be the last test, because it changes the key.
  test('retries workers that can no longer start a few times, ever more slowly, and then ends the service', async () => {
    const running = await program.start(TWO)
    // Once a worker has lived for a second, its death does not count as one at the start.
    await crewOf(running)
    await sleep(1_100)
    const file = join(String(program.environment['RATAFIA_DATA_DIR']), 'secret.key')
    await writeFile(file, Buffer.alloc(32, 3).toString('base64'))
    const [pid = 0, other = 0] = await crewOf(running)
    process.kill(pid, 'SIGKILL')
    const { code, stderr } = await running.finished
    assert.equal(code, 4)
    const waits = logged(running, 'a worker died and will be replaced').map((line) =>
      Reflect.get(line, 'wait'),
    )
    assert.deepEqual(waits, [100, 100, 200, 400, 800])
    assert.match(stderr, /"level":60,.*"msg":"workers die as soon as they start"/)
    assert.match(stderr, /^ratafia: workers die as soon as they start; see the log\.$/m)
    assert.ok(!isAlive(other))
  })

  test("reports once what the first worker refuses at the start, and ends with the worker's exit code", async () => {
    const { code, stdout, stderr } = await program.run(['serve'], { environment: TWO })
    assert.deepEqual([code, stdout], [4, ''])
    assert.match(stderr, /^ratafia: [^\n]*RATAFIA_SECRET_KEY[^\n]*\n$/)
  })
})
