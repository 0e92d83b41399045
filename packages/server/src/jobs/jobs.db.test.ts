import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eachDatabase } from '../../test/support/databases.ts'
import { eventually } from '../../test/support/eventually.ts'
import type { Database } from '../database/index.ts'
import { type LeaseStore, leaseStore } from './lease-store.ts'
import { removeExpired } from './remove-expired.ts'
import { runJobs } from './run-jobs.ts'

const LONG = 60_000

eachDatabase((_kind, open) => {
  let database: Database
  let leases: LeaseStore
  before(async () => {
    database = await open()
    leases = leaseStore(database)
  })
  const end = (name: string) =>
    database.query.updateTable('job_lease').set({ held_until: 1 }).where('name', '=', name).execute()

  describe('a lease', () => {
    test('one of many concurrent holders gets it, and the others get the remaining time', async () => {
      const all = await Promise.all(
        Array.from({ length: 20 }, (_, index) => leases.take('one', `holder-${index}`, LONG)),
      )
      assert.equal(all.filter(({ held }) => held).length, 1)
      for (const lease of all) if (!lease.held) assert.ok(lease.restMs > LONG / 2 && lease.restMs <= LONG)
    })

    test('stays with its holder until it expires, then another holder gets it', async () => {
      assert.deepEqual(await leases.take('two', 'a', LONG), { held: true })
      const until = async () =>
        (
          await database.query
            .selectFrom('job_lease')
            .selectAll()
            .where('name', '=', 'two')
            .executeTakeFirst()
        )?.held_until
      const first = await until()
      assert.deepEqual(await leases.take('two', 'a', LONG), { held: true })
      assert.equal(await until(), first, 'nothing is written while enough time is left')
      assert.deepEqual(await leases.take('two', 'a', 10 * LONG), { held: true })
      assert.ok(((await until()) ?? 0) > (first ?? 0), 'it is renewed if less than half of the time is left')
      await end('two')
      const others = await Promise.all(['b', 'c', 'd'].map((holder) => leases.take('two', holder, LONG)))
      assert.equal(others.filter(({ held }) => held).length, 1)
      assert.equal((await leases.take('two', 'a', LONG)).held, false)
    })

    test('is free at once when it is released', async () => {
      await leases.take('three', 'a', LONG)
      await leases.take('four', 'b', LONG)
      await leases.release('a')
      assert.deepEqual(await leases.take('three', 'c', LONG), { held: true })
      assert.equal((await leases.take('four', 'c', LONG)).held, false)
    })
  })

  test('one of several nodes runs a job, another takes over when it stops, and errors are retried', async () => {
    const runs: string[] = []
    const errors: unknown[] = []
    const node = (name: string) =>
      runJobs(
        [
          {
            name: 'job',
            everyMs: 5,
            run: async (goOn) => {
              // It may have to stop before its first step.
              if (!(await goOn())) return
              runs.push(name)
              if (runs.length === 1) throw new Error('the first time')
            },
          },
        ],
        { leases, onError: (error) => errors.push(error) },
      )
    const nodes = new Map(['a', 'b', 'c'].map((name) => [name, node(name)]))
    const until = async (condition: () => boolean) => {
      for (const deadline = performance.now() + 60_000; !condition(); await sleep(5)) {
        assert.ok(performance.now() < deadline, 'the condition does not become true')
      }
    }
    await until(() => runs.length >= 5)
    assert.match(String(errors[0]), /the first time/)
    const [first = ''] = runs
    assert.deepEqual(new Set(runs), new Set([first]))
    await nodes.get(first)?.stop()
    // It released its lease; the others check every 5 seconds.
    const before = runs.length
    await until(() => runs.length > before)
    assert.notEqual(runs.at(-1), first)
    await Promise.all([...nodes.values()].map((one) => one.stop()))
    const after = runs.length
    await sleep(50)
    assert.equal(runs.length, after)
    assert.equal(errors.length, 1)
  })

  test('a node that must not work leaves a job to others, even in the middle of it', async () => {
    const steps: string[] = []
    let mayWork = true
    const node = (name: string, may: () => boolean) =>
      runJobs(
        [
          {
            name: 'endless',
            everyMs: 5,
            run: async (goOn) => {
              while (await goOn()) {
                steps.push(name)
                await sleep(5)
              }
            },
          },
        ],
        { leases, mayWork: may, onError: assert.fail },
      )
    const first = node('first', () => mayWork)
    await eventually('the first works', () => steps.length > 0)
    const second = node('second', () => true)
    mayWork = false
    await end('endless')
    const before = steps.length
    await eventually('the second works', () => steps.includes('second'))
    // The first may have been in a step.
    assert.ok(steps.slice(before).filter((name) => name === 'first').length <= 1)
    await Promise.all([first.stop(), second.stop()])
  })
})

describe('retention', () => {
  const clock = () => new Date(1_000_000)
  const told: unknown[] = []
  const onRun = (...run: unknown[]) => told.push(run)
  const goOn = async () => true

  test('removes rows in batches until none are left, with a separate limit for each task', async () => {
    told.length = 0
    let left = 1100
    const asked: unknown[] = []
    const many = async (before: Date, limit: number) => {
      asked.push([before.getTime(), limit])
      const removed = Math.min(left, limit)
      left -= removed
      return removed
    }
    const none = async (before: Date) => {
      asked.push([before.getTime()])
      return 0
    }
    const tasks = [
      { table: 'many', keepMs: 1000, remove: many },
      { table: 'none', keepMs: 5000, remove: none },
    ]
    await removeExpired(tasks, { clock, goOn, onRun })
    assert.deepEqual(asked, [[999_000, 500], [999_000, 500], [999_000, 500], [995_000]])
    assert.deepEqual(told, [
      ['many', 'ok', 1100],
      ['none', 'ok', 0],
    ])
  })

  test('a failed task does not prevent the others from running, but fails the run', async () => {
    told.length = 0
    const failing = async () => {
      throw new Error('away')
    }
    const tasks = [
      { table: 'failing', keepMs: 0, remove: failing },
      { table: 'other', keepMs: 0, remove: async () => 3 },
    ]
    await assert.rejects(removeExpired(tasks, { clock, goOn, onRun }), /away/)
    assert.deepEqual(told, [
      ['failing', 'failed', 0],
      ['other', 'ok', 3],
    ])
  })

  test('stops between two batches on request', async () => {
    told.length = 0
    const endless = { table: 'endless', keepMs: 0, remove: async (_: Date, limit: number) => limit }
    await removeExpired([endless, endless], { clock, goOn: async () => false, onRun })
    assert.deepEqual(told, [['endless', 'ok', 500]])
  })
})
