/**
 * `node run-files.ts FILE...` runs test files in this process, one after the other, like Node's runner with
 * `--test-isolation=none`. Node's runner tracks every promise to find the test of an uncaught error, which costs a
 * quarter of the tests' CPU time. Here, an uncaught error fails the run without the name of its test. For the same
 * reason, a test inside another must be started with `t.test`.
 */
import { createHook } from 'node:async_hooks'
import { resolve } from 'node:path'

const { prototype } = Object.getPrototypeOf(createHook({})).constructor
const { enable } = prototype
prototype.enable = function (this: object) {
  const option = Object.getOwnPropertySymbols(this).find(
    ({ description }) => description === 'kNoPromiseHook',
  )
  // The public option `trackPromises: false` sets the same.
  if (option) Object.assign(this, { [option]: true })
  return enable.call(this)
}

for (const file of process.argv.slice(2)) await import(resolve(file))
