import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Unavailable } from '../errors.ts'
import { inBatches } from './batches.ts'

/** Batches that end only when the test ends them. */
function held<Result>(answer: (item: number) => Result) {
  const batches: { readonly items: readonly number[]; end: (error?: Error) => void }[] = []
  const add = inBatches(
    (items: readonly number[]) =>
      new Promise<readonly Result[]>((resolve, reject) => {
        const end = (error?: Error) => (error ? reject(error) : resolve(items.map(answer)))
        batches.push({ items, end })
      }),
  )
  return { add, batches, sizes: () => batches.map(({ items }) => items.length) }
}

test('calls in one turn form one batch, and each caller gets its own answer', async () => {
  const { add, batches } = held((item) => `answer ${item}`)
  const answers = Promise.all([1, 2, 3].map(add))
  await turn()
  assert.deepEqual(
    batches.map(({ items }) => items),
    [[1, 2, 3]],
  )
  batches[0]?.end()
  assert.deepEqual(await answers, ['answer 1', 'answer 2', 'answer 3'])
})

test('calls made while a batch runs join the next batch, in order of arrival', async () => {
  const { add, batches } = held((item) => item)
  const first = add(1)
  await turn()
  const later = [add(2), add(3)]
  await turn()
  const last = add(4)
  await turn()
  assert.equal(batches.length, 1)
  batches[0]?.end()
  await first
  await turn()
  assert.deepEqual(
    batches.map(({ items }) => items),
    [[1], [2, 3, 4]],
  )
  batches[1]?.end()
  assert.deepEqual(await Promise.all([...later, last]), [2, 3, 4])
})

test('limits the size of a batch and loses no item', async () => {
  const { add, batches, sizes } = held((item) => item)
  const all = Promise.all(Array.from({ length: 1_200 }, (_, item) => add(item)))
  for (let at = 0; at < 3; at++) {
    await turn()
    batches[at]?.end()
  }
  assert.deepEqual(
    await all,
    Array.from({ length: 1_200 }, (_, item) => item),
  )
  assert.deepEqual(sizes(), [500, 500, 200])
})

test('only the item that causes an error gets it; the others get their answers', async () => {
  const ran: (readonly number[])[] = []
  const add = inBatches(async (items: readonly number[]) => {
    ran.push(items)
    if (items.includes(2)) throw new TypeError('two')
    return items
  })
  const settled = await Promise.allSettled([1, 2, 3].map(add))
  assert.deepEqual(
    settled.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.message)),
    [1, 'two', 3],
  )
  assert.deepEqual(ran, [[1, 2, 3], [1], [2], [3]])
})

test('retries nothing when it is unknown what was written, and runs the next batch', async () => {
  const { add, batches } = held((item) => item)
  const doubtful = Promise.allSettled([1, 2].map(add))
  await turn()
  const next = add(3)
  batches[0]?.end(new Unavailable('the connection was lost'))
  for (const one of await doubtful) assert.ok(one.status === 'rejected' && one.reason instanceof Unavailable)
  await turn()
  batches[1]?.end()
  assert.equal(await next, 3)
  assert.equal(batches.length, 2)
})

test('every item fails if there is not one answer for each', async () => {
  const add = inBatches(async (items: readonly number[]) => items.slice(1))
  for (const one of await Promise.allSettled([1, 2].map(add))) {
    assert.ok(one.status === 'rejected' && one.reason instanceof TypeError)
  }
})

test("a batch runs in the context of its first item, not in the previous batch's", async () => {
  const request = new AsyncLocalStorage<string>()
  const seen: (string | undefined)[] = []
  const add = inBatches(async (items: readonly number[]) => {
    seen.push(request.getStore())
    await turn()
    return items
  })
  const one = request.run('one', () => add(1))
  await turn()
  const two = request.run('two', () => add(2))
  await Promise.all([one, two])
  assert.deepEqual(seen, ['one', 'two'])
})
