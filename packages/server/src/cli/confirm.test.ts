import assert from 'node:assert/strict'
import { PassThrough, Writable } from 'node:stream'
import { test } from 'node:test'
import { Command } from 'commander'
import { confirm, confirmTyped, withNeededYes, withYes } from './confirm.ts'
import { EXIT } from './context.ts'
import { runProgram } from './run-program.ts'

/** Runs a command that asks, and types `typed` once the question is shown. */
async function runAsked(words: readonly string[], typed: string | undefined, isTTY = true) {
  const shown = { text: '' }
  let waiting = typed
  const stdin = Object.assign(new PassThrough(), { isTTY })
  const stderr = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      shown.text += chunk
      if (waiting !== undefined && /\[y\/N\]|to confirm: /.test(shown.text)) {
        const answer = waiting
        waiting = undefined
        // While the question is being written, the line editor is still placing its cursor.
        setImmediate(() => stdin.write(answer))
      }
      done()
    },
  })
  const streams = { stdin, stdout: new PassThrough(), stderr }
  const counts = { asked: 0, done: 0 }
  const program = new Command('ratafia').exitOverride()
  withYes(program.command('destroy')).action(async (options) => {
    await confirm({ streams }, options, () => {
      counts.asked += 1
      return 'This destroys 3 things.'
    })
    counts.done += 1
  })
  withNeededYes(program.command('ruin')).action(async (options) => {
    await confirmTyped({ streams }, options, () => {
      counts.asked += 1
      return { told: 'This ruins 3 things.', type: 3 }
    })
    counts.done += 1
  })
  const code = await runProgram(words, program, streams)
  return { code, ...counts, shown: shown.text }
}

for (const typed of ['y\r', 'Yes\r', ' YES \r']) {
  test(`${JSON.stringify(typed)} at a terminal confirms`, async () => {
    const { code, asked, done, shown } = await runAsked(['destroy'], typed)
    assert.deepEqual({ code, asked, done }, { code: EXIT.done, asked: 1, done: 1 })
    assert.match(shown, /^This destroys 3 things\.\n[\s\S]*Continue\? \[y\/N\] /)
  })
}

for (const typed of ['\r', 'n\r', 'no\r', 'yesterday\r', '\u0003', '\u0004']) {
  test(`${JSON.stringify(typed)} at a terminal changes nothing`, async () => {
    const { code, done, shown } = await runAsked(['destroy'], typed)
    assert.deepEqual({ code, done }, { code: EXIT.refused, done: 0 })
    assert.match(shown, /\nratafia: Nothing was changed\.\n$/)
  })
}

test('--yes skips the question, and the counting that it needs', async () => {
  const { code, asked, done, shown } = await runAsked(['destroy', '--yes'], undefined)
  assert.deepEqual({ code, asked, done, shown }, { code: EXIT.done, asked: 0, done: 1, shown: '' })
})

test('confirm does not ask without a terminal', async () => {
  const { code, asked, done, shown } = await runAsked(['destroy'], undefined, false)
  assert.deepEqual({ code, asked, done, shown }, { code: EXIT.done, asked: 0, done: 1, shown: '' })
})

test('the text to type confirms, even with blanks around it', async () => {
  const { code, asked, done, shown } = await runAsked(['ruin'], ' 3 \r')
  assert.deepEqual({ code, asked, done }, { code: EXIT.done, asked: 1, done: 1 })
  assert.match(shown, /^This ruins 3 things\.\n[\s\S]*Type 3 to confirm: /)
})

for (const typed of ['\r', 'y\r', 'yes\r', '33\r', '03\r', '\u0003', '\u0004']) {
  test(`${JSON.stringify(typed)} instead of the text to type changes nothing`, async () => {
    const { code, done, shown } = await runAsked(['ruin'], typed)
    assert.deepEqual({ code, done }, { code: EXIT.refused, done: 0 })
    assert.match(shown, /\nratafia: Nothing was changed\.\n$/)
  })
}

test('a typed confirmation requires --yes without a terminal', async () => {
  const without = await runAsked(['ruin'], undefined, false)
  assert.deepEqual([without.code, without.asked, without.done], [EXIT.usage, 0, 0])
  const { code, asked, done, shown } = await runAsked(['ruin', '--yes'], undefined, false)
  assert.deepEqual({ code, asked, done, shown }, { code: EXIT.done, asked: 0, done: 1, shown: '' })
})
