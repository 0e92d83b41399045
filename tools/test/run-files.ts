/**
 * `node run-files.ts FILE...` runs test files in this process, one after the other, like Node's runner with
 * `--test-isolation=none`. That one follows every promise to know which test an error escaped from, and a quarter of
 * the tests' CPU goes there. Here an error that escapes fails the run without the name of its test. For the same reason,
 * a test inside another one has to be begun with `t.test`.
 */
import { createHook } from 'node:async_hooks'
import { resolve } from 'node:path'

const { prototype } = Object.getPrototypeOf(createHook({})).constructor
const { enable } = prototype
prototype.enable = function (this: object) {
  const option = Object.getOwnPropertySymbols(this).find(
    ({ description }) => description === 'kNoPromiseHook',
  )
  // What the public option `trackPromises: false` sets.
  if (option) Object.assign(this, { [option]: true })
  return enable.call(this)
}

for (const file of process.argv.slice(2)) await import(resolve(file))
