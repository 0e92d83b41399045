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
    test('of many who try at once one has it, and the others learn for how long', async () => {
      const all = await Promise.all(
        Array.from({ length: 20 }, (_, index) => leases.take('one', `holder-${index}`, LONG)),
      )
      assert.equal(all.filter(({ held }) => held).length, 1)
      for (const lease of all) if (!lease.held) assert.ok(lease.restMs > LONG / 2 && lease.restMs <= LONG)
    })

    test('stays with its holder, who is asked nothing more, until it ends: then one other has it', async () => {
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
      assert.equal(await until(), first, 'nothing is written while there is time')
      assert.deepEqual(await leases.take('two', 'a', 10 * LONG), { held: true })
      assert.ok(((await until()) ?? 0) > (first ?? 0), 'less than half was left of that')
      await end('two')
      const others = await Promise.all(['b', 'c', 'd'].map((holder) => leases.take('two', holder, LONG)))
      assert.equal(others.filter(({ held }) => held).length, 1)
      assert.equal((await leases.take('two', 'a', LONG)).held, false)
    })

    test('released is free at once', async () => {
      await leases.take('three', 'a', LONG)
      await leases.take('four', 'b', LONG)
      await leases.release('a')
      assert.deepEqual(await leases.take('three', 'c', LONG), { held: true })
      assert.equal((await leases.take('four', 'c', LONG)).held, false)
    })
  })

  test('of several nodes one runs a job; when it stops another goes on, and errors are tried again', async () => {
    const runs: string[] = []
    const errors: unknown[] = []
    const node = (name: string) =>
      runJobs(
        [
          {
            name: 'job',
            everyMs: 5,
            run: async (goOn) => {
              // It may be told to stop before its first step.
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
        assert.ok(performance.now() < deadline, 'it does not come about')
      }
    }
    await until(() => runs.length >= 5)
    assert.match(String(errors[0]), /the first time/)
    const [first = ''] = runs
    assert.deepEqual(new Set(runs), new Set([first]))
    await nodes.get(first)?.stop()
    // It left its lease; the others look every 5 seconds.
    const before = runs.length
    await until(() => runs.length > before)
    assert.notEqual(runs.at(-1), first)
    await Promise.all([...nodes.values()].map((one) => one.stop()))
    const after = runs.length
    await sleep(50)
    assert.equal(runs.length, after)
    assert.equal(errors.length, 1)
  })

  test('a node that must not work leaves a job to others, also in the middle of it', async () => {
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

  test('removes by batches until nothing is left, each task with its own limit', async () => {
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

  test('a task that fails does not keep the others from their turn, and the run has failed', async () => {
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

  test('ends between two batches when asked to', async () => {
    told.length = 0
    const endless = { table: 'endless', keepMs: 0, remove: async (_: Date, limit: number) => limit }
    await removeExpired([endless, endless], { clock, goOn: async () => false, onRun })
    assert.deepEqual(told, [['endless', 'ok', 500]])
  })
})
