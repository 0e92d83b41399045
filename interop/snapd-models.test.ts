// Compares the rules of model assertions with snapd's own code: the service refuses the same models as snapd.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { MODEL_CASES } from '../packages/assertions/test/model-rules.ts'
import { refusedBySnapd } from './support/snapd.ts'

suite('models', { timeout: 300_000 }, () => {
  for (const { name, valid, accepted, refused } of MODEL_CASES) {
    test(`snapd and the service accept the same models: ${name}`, async () => {
      const change = ([from, to]: readonly [string, string, ...unknown[]]) => valid.replace(from, () => to)
      // Debian's snapd is older than some of the rules. The newest snapd checks all of them.
      const known = (row: readonly unknown[]): boolean => row.at(-1) !== 'new snapd'
      const good = [valid, ...accepted.filter(known).map(change)]
      assert.deepEqual(
        (await refusedBySnapd(good)).filter((refusal) => refusal !== undefined),
        [],
      )
      const bad = refused.filter(known)
      const answers = await refusedBySnapd(bad.map(change))
      assert.deepEqual(
        bad.filter((_, at) => answers[at] === undefined),
        [],
      )
    })
  }
})
