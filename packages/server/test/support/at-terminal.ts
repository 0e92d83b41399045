/** Runs a command at a terminal, and answers its question. */
import { PassThrough, Writable } from 'node:stream'
import { run } from '../../src/start/run.ts'
import { type Words, wordsOf } from './cases.ts'
import { cheapPasswords } from './passwords.ts'
import type { Variables } from './program.ts'

export interface Answered {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  readonly asked: boolean
}

/** Runs a command, and types `typed`, which includes the `\r`, once the command asks. */
export async function atTerminal(words: Words, typed: string, environment: Variables): Promise<Answered> {
  const shown = { stdout: '', stderr: '' }
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  let asked = false
  const output = (name: 'stdout' | 'stderr') =>
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        shown[name] += chunk
        if (!asked && /\[y\/N\]|to confirm: /.test(shown.stderr)) {
          asked = true
          // Wait until the question has been written.
          setImmediate(() => stdin.write(typed))
        }
        done()
      },
    })
  const streams = { stdin, stdout: output('stdout'), stderr: output('stderr') }
  const code = await run(['node', 'ratafia', ...wordsOf(words)], {
    environment,
    streams,
    passwords: cheapPasswords(),
  })
  return { code, asked, ...shown }
}
