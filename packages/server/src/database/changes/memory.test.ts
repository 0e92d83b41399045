import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { createMemory, type Memory } from './memory.ts'
import type { ChangeKind, RowChange } from './row-change.ts'

interface Row {
  readonly id: string
  readonly owner: string
  readonly good: boolean
}

/** Tests decide what it says. */
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
  /** After a gap the real one, too, announces that anything may have changed. */
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

  test('what is good is read once', async () => {
    assert.equal(await find(), row)
    assert.equal(await find(), row)
    assert.equal(reads, 1)
  })

  test('what is not there, or not good, is read each time', async () => {
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
    test(`it is forgotten when ${change ? `the ${change.kind}` : 'anything'} may have changed`, async () => {
      await find()
      freshness.tell(change)
      assert.equal(memory.size, 0)
      await find()
      assert.equal(reads, 2)
    })
  }

  test('what depends on every row of a kind is forgotten when any of them changes', async () => {
    const roots = createMemory<Row>(freshness, { name: 'roots', dependsOn: () => [{ kind: 'trust-root' }] })
    await roots.find('all', read)
    freshness.tell({ kind: 'account', id: 'canonical' })
    assert.equal(roots.peek('all'), row)
    freshness.tell({ kind: 'trust-root', id: 'canonical' })
    assert.equal(roots.peek('all'), undefined)
  })

  test('a peek finds what is remembered, and nothing while changes may be missed', async () => {
    assert.equal(memory.peek('s1'), undefined)
    await find()
    assert.equal(memory.peek('s1'), row)
    freshness.up = false
    assert.equal(memory.peek('s1'), undefined)
  })

  test('a change of something else leaves it', async () => {
    await find()
    freshness.tell({ kind: 'token-session', id: 'anna' })
    freshness.tell({ kind: 'account', id: 's1' })
    await find()
    assert.equal(reads, 1)
  })

  test('Guarantee: what was read before a change is not remembered after it', async () => {
    const { promise, resolve } = Promise.withResolvers<Row | undefined>()
    const old = memory.find('s1', () => promise)
    // It is not known yet that what is being read belongs to anna.
    freshness.tell({ kind: 'account', id: 'anna' })
    resolve(row)
    assert.equal(await old, row)
    assert.equal(memory.size, 0)
  })

  test('Guarantee: nothing is answered from memory, nor remembered, while changes may be missed', async () => {
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

  test('Guarantee: what depends on a kind of rows whose changes are unannounced is not remembered; all else is', async () => {
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

  test('it is bounded, and what was pushed out leaves nothing behind', async () => {
    for (const id of ['a', 'b', 'c', 'd']) {
      row = { id, owner: 'anna', good: true }
      await find(id)
    }
    assert.equal(memory.size, 3)
    freshness.tell({ kind: 'account', id: 'anna' })
    assert.equal(memory.size, 0)
  })

  test('a large value counts as several, and one that is larger than the memory is not remembered', async () => {
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

  test('an error is thrown, and not remembered', async () => {
    await assert.rejects(
      memory.find('s1', () => Promise.reject(new Error('away'))),
      /away/,
    )
    assert.equal(await find(), row)
  })
})
