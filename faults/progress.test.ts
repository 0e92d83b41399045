/** Tests the message of a run that gives up. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lastWords, Progress } from './progress.ts'

test('a run that gives up reports its stage, what it waited for, and what its nodes logged last', async () => {
  const progress = new Progress()
  const answers = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
  ]
  progress.enter('was under load')
  const open = answers.map(({ promise }, at) =>
    progress.during(at < 2 ? 'whoami at node 1' : 'ratafia verify', promise),
  )
  const nodes = [
    { name: 'node 1', log: { tail: '{"msg":"away"}' } },
    { name: 'node 2', log: { tail: '' } },
  ]
  const said = lastWords('it hangs', progress, nodes)
  assert.equal(
    said,
    [
      'gave up when it was under load: it hangs',
      'it waited for: 2 × whoami at node 1, ratafia verify',
      'the log of node 1 ends with:\n{"msg":"away"}',
      'the log of node 2 ends with:\n(empty)',
    ].join('\n'),
  )
  for (const { resolve } of answers) resolve()
  await Promise.all(open)
  assert.deepEqual(progress.waitsFor, [])
})
