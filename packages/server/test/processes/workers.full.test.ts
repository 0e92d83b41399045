/**
 * `ratafia serve` with several workers on a database. They are killed while clients work, and while it is unavailable.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Account } from '../../src/accounts/account.ts'
import { crewOf, logged, send, workersOf } from '../support/crew.ts'
import { asSuperuser, eachDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { type RunningProgram, testProgram } from '../support/program.ts'
import { addPerson, bearing, logIn, sessionOf, type TestService } from '../support/service.ts'

const TWO = { RATAFIA_WORKERS: '2' }
const ROOT = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }

eachDatabase((kind, _open, fresh) => {
  const program = testProgram(fresh)
  let running: RunningProgram
  before(async () => {
    running = await program.start(TWO)
  })
  const serviceAt = async (baseUrl: string): Promise<TestService> => ({
    baseUrl,
    installation: await program.open({ RATAFIA_BASE_URL: baseUrl }),
    now: () => new Date(),
    advance: () => assert.fail('it uses its own clock'),
  })
  let people = 0
  const newPerson = async (service: TestService) => addPerson(service, `w-${++people}`)
  const kill = (pid: number | undefined) => process.kill(pid ?? assert.fail('no worker'), 'SIGKILL')

  test('kill -9 of busy workers: acknowledged changes stay, each worker is replaced, no answer is wrong', async () => {
    const service = await serviceAt(running.baseUrl)
    const tokens: string[] = []
    const revoked: string[] = []
    /** Tokens whose revocation got no answer: it may or may not have been done. */
    const unknown: string[] = []
    let ended = false
    /** Logs in and revokes. A request whose connection breaks may or may not have been done. */
    const work = async (person: Account) => {
      while (!ended) {
        // Leaves some of the processor to workers that start.
        await sleep(20)
        const token = await logIn(service, person).catch((error: unknown) => {
          assert.match(String(error), /TypeError: (fetch failed|terminated)/)
        })
        if (!token) continue
        tokens.push(token)
        if (tokens.length % 3 > 0) continue
        const { status } = await send(`${running.baseUrl}/api/v2/tokens/revoke`, {
          ...ROOT,
          headers: { ...ROOT.headers, ...bearing(token) },
          body: JSON.stringify({ 'session-id': sessionOf(token) }),
        })
        if (status === undefined) unknown.push(token)
        else {
          assert.equal(status, 200)
          revoked.push(token)
        }
      }
    }
    const clients: Account[] = []
    for (let client = 0; client < 4; client++) clients.push(await newPerson(service))
    const working = Promise.all(clients.map(work))
    for (let round = 0; round < 2; round++) {
      const before = tokens.length
      await eventually('clients are working', () => tokens.length > before + 10)
      const [pid] = await crewOf(running)
      kill(pid)
      await eventually('its death is noticed', () => !workersOf(running).includes(Number(pid)))
      await crewOf(running)
    }
    ended = true
    await working
    assert.ok(revoked.length > 0)
    for (const token of tokens) {
      const { status } = await send(`${running.baseUrl}/api/v2/tokens/whoami`, { headers: bearing(token) })
      if (unknown.includes(token)) assert.ok(status === 200 || status === 401, `it is ${status}`)
      else assert.equal(status, revoked.includes(token) ? 401 : 200)
    }
  })

  if (kind === 'postgres') {
    test('replaces a worker that dies while the database is unavailable once the database is back', async () => {
      const name = new URL(String(program.environment['RATAFIA_DATABASE_URL'])).pathname.slice(1)
      await asSuperuser(`alter database ${name} allow_connections false`)
      try {
        await asSuperuser(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
        kill((await crewOf(running))[0])
        const tries = () => logged(running, 'a worker died and will be replaced')
        await eventually('it was tried', () => tries().some(({ exitCode }) => exitCode === 3))
      } finally {
        await asSuperuser(`alter database ${name} allow_connections true`)
      }
      await crewOf(running)
      await eventually(
        'all is well',
        async () => (await send(`${running.baseUrl}/health/ready`)).status === 200,
      )
    })

    // This must be the last test, because it ends the service.
    test('workers that are still starting when their supervisor is killed also end', async () => {
      const watcher = new pg.Client({ connectionString: program.environment['RATAFIA_DATABASE_URL'] })
      await watcher.connect()
      try {
        // A worker reads the keys before it listens.
        const before = await crewOf(running)
        await watcher.query('begin')
        await watcher.query('lock table root_key in access exclusive mode')
        for (const pid of before) kill(pid)
        const starting = await eventually('others are starting', async () => {
          const { rows } = await watcher.query<{ pid: number }>(
            `select pid from pg_locks where relation = 'root_key'::regclass and not granted`,
          )
          return rows.length === before.length ? rows.map(({ pid }) => pid) : undefined
        })
        const killed = once(running.child, 'exit')
        running.child.kill('SIGKILL')
        await killed
        await watcher.query('rollback')
        await eventually('they have left the database', async () => {
          const left = 'select from pg_stat_activity where pid = any ($1)'
          return (await watcher.query(left, [starting])).rowCount === 0
        })
      } finally {
        await watcher.end()
      }
    })
  }
})
