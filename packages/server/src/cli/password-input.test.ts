import assert from 'node:assert/strict'
import { PassThrough, Writable } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { UsageError } from './context.ts'
import { readPassword } from './password-input.ts'

/** Simulates a terminal: its input, and the text that it shows. */
function terminal() {
  const shown = { text: '' }
  const sink = () =>
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        shown.text += chunk
        done()
      },
    })
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  return { shown, stdin, streams: { stdin, stdout: sink(), stderr: sink() } }
}

/** Types each answer once its question is shown. */
async function typing(...texts: readonly string[]) {
  const { shown, stdin, streams } = terminal()
  const password = readPassword(streams, false)
  const settled = password.then(
    () => true,
    () => true,
  )
  for (const text of texts) {
    await Promise.race([sleep(50), settled])
    stdin.write(text)
  }
  const result = await password.catch((error: unknown) => error)
  return { result, shown: shown.text }
}

test('asks for the password twice, and never shows it', async () => {
  const { result, shown } = await typing('hunter2 Ä\r', 'hunter2 Ä\r')
  assert.equal(result, 'hunter2 Ä')
  assert.equal(shown, 'Password: \nRepeat password: \n')
})

test('turns the echo off before the first question and on after the last answer', async () => {
  const { shown, stdin, streams } = terminal()
  const steps: string[] = []
  const setRawMode = (raw: boolean) =>
    steps.push(`${raw ? 'silent' : 'echoing'} after ${JSON.stringify(shown.text)}`)
  const password = readPassword({ ...streams, stdin: Object.assign(stdin, { setRawMode }) }, false)
  // Both answers arrive at once: a user does not have to wait for the second question.
  stdin.write('hunter2\rhunter2\r')
  assert.equal(await password, 'hunter2')
  assert.deepEqual(steps, ['silent after ""', 'echoing after "Password: \\nRepeat password: \\n"'])
})

test('backspace corrects a typing mistake', async () => {
  assert.equal((await typing('hunter3\u007f2\r', 'hunter2\r')).result, 'hunter2')
})

test('refuses two passwords that differ', async () => {
  const { result } = await typing('hunter2\r', 'hunter3\r')
  assert.ok(result instanceof UsageError)
  assert.equal(result.message, 'The two passwords differ. Nothing was changed.')
})

for (const [name, key] of [
  ['Ctrl-C', '\u0003'],
  ['Ctrl-D', '\u0004'],
] as const) {
  test(`${name} cancels at either question`, async () => {
    for (const texts of [[key], ['hunter2\r', key]]) {
      const { result } = await typing(...texts)
      assert.ok(result instanceof UsageError, String(result))
      assert.equal(result.message, 'No password was given. Nothing was changed.')
    }
  })
}

test('does not ask without a terminal', async () => {
  const { streams, stdin } = terminal()
  stdin.isTTY = false
  await assert.rejects(readPassword(streams, false), /--password-stdin/)
})

for (const [given, read] of [
  ['hunter2\n', 'hunter2'],
  ['hunter2\r\n', 'hunter2'],
  ['hunter2', 'hunter2'],
  ['two\nlines\n\n', 'two\nlines\n'],
  [' spaces ', ' spaces '],
  ['\ufeffmark\r\n', 'mark'],
  [Buffer.from('\ufeffpässword\r\n', 'utf16le'), 'pässword'],
  [Buffer.from('\ufeffpässword', 'utf16le').swap16(), 'pässword'],
] as const) {
  test(`reads ${JSON.stringify(String(given))}, of length ${given.length}, from standard input`, async () => {
    const { streams, stdin } = terminal()
    stdin.end(given)
    assert.equal(await readPassword(streams, true), read)
  })
}
