/** How workers are started, replaced and ended: what does not depend on the database. */
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

  test('one line says where both listen; each of them answers', async () => {
    assert.equal(running.stdout().match(/listening on/g)?.length, 1)
    const pids = await crewOf(running)
    for (const pid of pids) {
      // Those that hang delay no one: any that can takes the connection.
      const others = pids.filter((other) => other !== pid)
      for (const other of others) process.kill(other, 'SIGSTOP')
      assert.equal((await send(`${running.baseUrl}/health/ready`)).body, '{"status":"ready"}')
      for (const other of others) process.kill(other, 'SIGCONT')
    }
  })

  test('failed sign-ins are counted together, whichever worker has them', async () => {
    const { Info } = await discharging(running.baseUrl)
    const statuses = await Promise.all(
      Array.from({ length: 16 }, async () => {
        const browser = new Browser({ connection: 'close' })
        const page = await browser.open(Info.InteractionMethods['browser-window'].VisitURL)
        const fields = { ...page.forms[0]?.fields, username: 'nobody', password: 'wrong' }
        return (await browser.post(page.url.replace(/\?.*/, ''), fields)).status
      }),
    )
    assert.deepEqual(statuses.toSorted(), [...Array<number>(10).fill(403), ...Array<number>(6).fill(429)])
  })

  test('a second program on their port is refused, once', async () => {
    const { port } = new URL(running.baseUrl)
    const environment = { ...TWO, RATAFIA_PORT: port }
    const { code, stderr, stdout } = await program.run(['serve'], { environment })
    assert.deepEqual([code, stdout], [4, ''])
    const message = `Cannot listen on 127.0.0.1:${port}: the port is taken by another program`
    assert.equal(stderr.split(message).length, 2, stderr)
  })

  test('with port 0 replaced workers have the port of those before, even if none was left', async () => {
    for (const pid of await crewOf(running)) kill(pid)
    await eventually('their deaths are seen', () => workersOf(running).length === 0)
    await crewOf(running)
    assert.equal((await send(`${running.baseUrl}/health/ready`)).status, 200)
    assert.equal(running.stdout().match(/listening on/g)?.length, 1)
  })

  test('SIGTERM under load: every request on a good connection is answered, and no worker is left', async () => {
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
    await eventually('clients are at work', () => outcomes.length > 50)
    const { code, stderr } = await running.end('SIGTERM')
    assert.equal(code, 0)
    await working
    agent.destroy()
    const kinds = new Set(outcomes)
    // A connection that no worker had accepted yet is refused, or reset with its listening socket.
    for (const allowed of ['ECONNREFUSED', 'ECONNRESET', 'socket hang up']) kinds.delete(allowed)
    assert.deepEqual([...kinds], ['200'])
    assert.equal(stderr.match(/"msg":"finishing what is in flight"/g)?.length, 1)
    for (const line of stderr.trimEnd().split('\n')) JSON.parse(line)
    assert.deepEqual(pids.filter(isAlive), [])
  })
})

describe('a supervisor', () => {
  const program = testProgram()

  // A terminal and a service manager signal every process of the group, and the supervisor its workers once more.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    test(`${signal} to all processes while workers start: every one finishes, with exit code 0`, async () => {
      const running = await program.start(TWO)
      const { pid = assert.fail('no process') } = running.child
      const workers = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
      for (const worker of workers) process.kill(worker, signal)
      const { code, stderr } = await running.end(signal)
      assert.equal(code, 0, stderr)
      assert.doesNotMatch(stderr, /did not finish/)
    })
  }

  test('without a number starts as many workers as there are cores; killed, it leaves workers that finish and end', async () => {
    const running = await program.start({
      RATAFIA_WORKERS: '',
      RATAFIA_BASE_URL: 'https://store.example.com',
    })
    const pids = await crewOf(running, availableParallelism() > 1 ? availableParallelism() : 0)
    // What is hardly meant is said once, not by each of them.
    const warning = /"msg":"RATAFIA_BASE_URL is https, and RATAFIA_TRUSTED_PROXIES is not set\./g
    assert.equal(running.stderr().match(warning)?.length, 1)
    await running.end('SIGKILL')
    await eventually('no worker is left', () => !pids.some(isAlive))
  })

  test('readiness goes first, the port stays open for load balancers; a second signal ends all at once', async () => {
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
    // On a new connection, which the answer ends.
    const { status, headers } = await fetch(`${running.baseUrl}/api/v2/tokens`, ROOT)
    assert.deepEqual([status, headers.get('connection')], [200, 'close'])
    assert.equal((await running.end('SIGTERM')).code, 1)
    await eventually('no worker is left', () => !pids.some(isAlive))
  })

  test('of the identity service alone too, a worker that is asked to end finishes, and is replaced', async () => {
    const running = await program.start({ ...TWO, RATAFIA_SHUTDOWN_DELAY: '1s' }, ['identity', 'serve'])
    const [pid = 0] = await crewOf(running)
    assert.equal((await send(`${running.baseUrl}/discharge/info`)).status, 200)
    process.kill(pid, 'SIGTERM')
    const [{ exitCode } = assert.fail('nobody died')] = await eventually('it ended', () => {
      const lines = logged(running, 'a worker died and is replaced')
      return lines.length > 0 ? lines : undefined
    })
    assert.equal(exitCode, 0)
    await crewOf(running)
    assert.equal((await send(`${running.baseUrl}/health/ready`)).status, 200)
    assert.equal((await running.end('SIGTERM')).code, 0)
  })

  // The last one: the key is another then.
  test('workers that can no longer start are tried a few times, ever more slowly; then the service ends', async () => {
    const running = await program.start(TWO)
    // One that is at its start only begins to die early when it has lived.
    await crewOf(running)
    await sleep(1_100)
    const file = join(String(program.environment['RATAFIA_DATA_DIR']), 'secret.key')
    await writeFile(file, Buffer.alloc(32, 3).toString('base64'))
    const [pid = 0, other = 0] = await crewOf(running)
    process.kill(pid, 'SIGKILL')
    const { code, stderr } = await running.finished
    assert.equal(code, 4)
    const waits = logged(running, 'a worker died and is replaced').map((line) => Reflect.get(line, 'wait'))
    assert.deepEqual(waits, [100, 100, 200, 400, 800])
    assert.match(stderr, /"level":60,.*"msg":"workers die as soon as they start"/)
    assert.match(stderr, /^ratafia: workers die as soon as they start; the log says more\.$/m)
    assert.ok(!isAlive(other))
  })

  test('what the first worker refuses at the start is said once, and its exit code is that of the service', async () => {
    const { code, stdout, stderr } = await program.run(['serve'], { environment: TWO })
    assert.deepEqual([code, stdout], [4, ''])
    assert.match(stderr, /^ratafia: [^\n]*RATAFIA_SECRET_KEY[^\n]*\n$/)
  })
})
