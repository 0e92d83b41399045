import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { withProgress } from './progress.ts'

async function shownOn(options: { readonly isTTY: boolean; readonly total: number }): Promise<string> {
  let shown = ''
  const stderr = Object.assign(
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        shown += chunk
        done()
      },
    }),
    {
      isTTY: options.isTTY,
      columns: 80,
      cursorTo: () => true,
      clearLine: () => true,
      moveCursor: () => true,
    },
  )
  const result = await withProgress(
    { stdin: process.stdin, stdout: process.stdout, stderr },
    'Working',
    async (say) => {
      for (let done = 0; done <= options.total; done += 100) say(done, options.total)
      return 'the result'
    },
  )
  assert.equal(result, 'the result')
  return shown
}

test('a bar on a terminal, for what takes long', async () => {
  assert.match(await shownOn({ isTTY: true, total: 20_000 }), /Working .* \d+% \d+\/20000/)
})

test('nothing when the work is short, or there is no terminal', async () => {
  assert.equal(await shownOn({ isTTY: true, total: 400 }), '')
  assert.equal(await shownOn({ isTTY: false, total: 20_000 }), '')
})
