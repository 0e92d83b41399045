import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readiness } from './readiness.ts'

type State = 'current' | 'older'

/** A database that answers only when told to. */
function silentDatabase() {
  const questions: PromiseWithResolvers<State>[] = []
  const schema = () => {
    const question = Promise.withResolvers<State>()
    questions.push(question)
    return question.promise
  }
  return { questions, schema }
}

const AWAY = 'The database does not answer.'

test('queries the database once for many callers', async () => {
  const { questions, schema } = silentDatabase()
  const { unready } = readiness({ schema })
  const first = Array.from({ length: 30 }, unready)
  questions[0]?.resolve('older')
  const older = 'The schema of the database is older than this release.'
  assert.deepEqual([...new Set(await Promise.all(first))], [older])
  assert.equal(questions.length, 1)
  const second = unready()
  questions[1]?.resolve('current')
  assert.equal(await second, undefined)
  assert.equal(questions.length, 2)
})

test('reports a silent database to all callers soon, and queries it no more until it answers', async () => {
  const { questions, schema } = silentDatabase()
  const { unready } = readiness({ schema, patienceMs: 1 })
  for (let asked = 0; asked < 3; asked++) assert.equal(await unready(), AWAY)
  assert.equal(questions.length, 1)
  questions[0]?.reject(new Error('the connection ended'))
  assert.equal(await unready(), AWAY)
})

test('a node that leaves is not ready, whatever the database answers, even for earlier callers', async () => {
  const { questions, schema } = silentDatabase()
  const { unready, leave } = readiness({ schema })
  const before = unready()
  leave()
  questions[0]?.resolve('current')
  for (const reason of [await before, await unready()]) assert.equal(reason, 'The service is shutting down.')
  assert.equal(questions.length, 1)
})
