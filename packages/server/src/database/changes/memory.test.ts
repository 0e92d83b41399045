import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { createMemory, type Memory } from './memory.ts'
import type { ChangeKind, RowChange } from './row-change.ts'

interface Row {
  readonly id: string
  readonly owner: string
  readonly good: boolean
}

/** A stand-in whose state each test sets. */
class Freshness {
  readonly memories = new Map()
  unannounced: ReadonlySet<ChangeKind> = new Set()
  position = 0
  up = true
  #onChange: (change?: RowChange) => void = () => {}
  current(...kinds: readonly ChangeKind[]): boolean {
    return this.up && kinds.every((kind) => !this.unannounced.has(kind))
  }
  subscribe(onChange: (change?: RowChange) => void): void {
    this.#onChange = onChange
  }
  /** Announces that anything may have changed, as the real one does after a gap. */
  recover(): void {
    this.up = true
    this.tell()
  }
  tell(change?: RowChange): void {
    this.position++
    this.#onChange(change)
  }
}

let freshness: Freshness
let memory: Memory<Row>
let row: Row | undefined
let reads: number
suite('a memory', () => {
  beforeEach(() => {
    freshness = new Freshness()
    memory = createMemory<Row>(freshness, {
      name: 'rows',
      most: 3,
      dependsOn: ({ id, owner, good }) =>
        good
          ? [
              { kind: 'token-session', id },
              { kind: 'account', id: owner },
            ]
          : undefined,
    })
    row = { id: 's1', owner: 'anna', good: true }
    reads = 0
  })

  const read = async () => {
    reads++
    return row
  }
  const find = (key = 's1') => memory.find(key, read)

  test('reads a good row once', async () => {
    assert.equal(await find(), row)
    assert.equal(await find(), row)
    assert.equal(reads, 1)
  })

  test('reads a missing row, or one that is not good, each time', async () => {
    row = undefined
    assert.equal(await find(), undefined)
    row = { id: 's1', owner: 'anna', good: false }
    await find()
    await find()
    assert.equal(reads, 3)
  })

  for (const change of [
    { kind: 'token-session', id: 's1' },
    { kind: 'account', id: 'anna' },
    undefined,
  ] as const) {
    test(`forgets a row when ${change ? `the ${change.kind}` : 'anything'} may have changed`, async () => {
      await find()
      freshness.tell(change)
      assert.equal(memory.size, 0)
      await find()
      assert.equal(reads, 2)
    })
  }

  test('forgets what depends on every row of a kind when any of them changes', async () => {
    const roots = createMemory<Row>(freshness, { name: 'roots', dependsOn: () => [{ kind: 'trust-root' }] })
    await roots.find('all', read)
    freshness.tell({ kind: 'account', id: 'canonical' })
    assert.equal(roots.peek('all'), row)
    freshness.tell({ kind: 'trust-root', id: 'canonical' })
    assert.equal(roots.peek('all'), undefined)
  })

  test('a peek finds what is cached, and nothing while changes may be missed', async () => {
    assert.equal(memory.peek('s1'), undefined)
    await find()
    assert.equal(memory.peek('s1'), row)
    freshness.up = false
    assert.equal(memory.peek('s1'), undefined)
  })

  test('keeps a row when something else changes', async () => {
    await find()
    freshness.tell({ kind: 'token-session', id: 'anna' })
    freshness.tell({ kind: 'account', id: 's1' })
    await find()
    assert.equal(reads, 1)
  })

  test('Guarantee: a value read before a change is not cached after it', async () => {
    const { promise, resolve } = Promise.withResolvers<Row | undefined>()
    const old = memory.find('s1', () => promise)
    // The cache does not know yet that the row being read belongs to anna.
    freshness.tell({ kind: 'account', id: 'anna' })
    resolve(row)
    assert.equal(await old, row)
    assert.equal(memory.size, 0)
  })

  test('Guarantee: nothing is answered from the cache, nor cached, while changes may be missed', async () => {
    await find()
    freshness.up = false
    await find()
    assert.equal(reads, 2)
    await find('other')
    freshness.recover()
    await find('other')
    assert.equal(reads, 4)
    await find()
    assert.equal(reads, 5)
  })

  test('Guarantee: caches everything except what depends on rows whose changes are unannounced', async () => {
    freshness.unannounced = new Set(['account'])
    const sessions = createMemory<Row>(freshness, {
      name: 'sessions',
      dependsOn: ({ id }) => [{ kind: 'token-session', id }],
    })
    await find()
    await sessions.find('s1', read)
    assert.equal(memory.peek('s1'), undefined)
    assert.equal(memory.size, 0)
    assert.equal(sessions.peek('s1'), row)
  })

  test('is bounded, and evicted values leave nothing behind', async () => {
    for (const id of ['a', 'b', 'c', 'd']) {
      row = { id, owner: 'anna', good: true }
      await find(id)
    }
    assert.equal(memory.size, 3)
    freshness.tell({ kind: 'account', id: 'anna' })
    assert.equal(memory.size, 0)
  })

  test('counts a large value as several, and does not cache one that is larger than the cache', async () => {
    const sized = createMemory<Row>(freshness, {
      ...{ name: 'sized', most: 3, countsAs: ({ id }) => id.length },
      dependsOn: ({ id, owner }) => [
        { kind: 'token-session', id },
        { kind: 'account', id: owner },
      ],
    })
    for (const id of ['a', 'b', 'c', 'dd', 'too large']) {
      await sized.find(id, async () => ({ id, owner: 'anna', good: true }))
    }
    assert.deepEqual(
      ['a', 'b', 'c', 'dd', 'too large'].filter((id) => sized.peek(id)),
      ['c', 'dd'],
    )
    freshness.tell({ kind: 'account', id: 'anna' })
    assert.equal(sized.size, 0)
  })

  test('throws an error and does not cache it', async () => {
    await assert.rejects(
      memory.find('s1', () => Promise.reject(new Error('away'))),
      /away/,
    )
    assert.equal(await find(), row)
  })
})
