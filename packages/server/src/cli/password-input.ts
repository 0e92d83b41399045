/** How a command gets a password: from standard input, or asked for at a terminal. Never from an argument. */
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { MAX_PASSWORD_BYTES } from '../accounts/passwords/password.ts'
import { textOr } from '../files/foreign-text.ts'
import { type Streams, UsageError } from './context.ts'
import { readStandardInput } from './files.ts'

/**
 * With `fromStdin`, reads all of standard input without its final line end; otherwise asks twice. Throws
 * {@link UsageError} if there is no terminal to ask at, or the two answers differ.
 */
export async function readPassword(streams: Streams, fromStdin: boolean): Promise<string> {
  if (fromStdin) return readAll(streams)
  if (!streams.stdin.isTTY) {
    throw new UsageError(
      'Standard input is not a terminal, so the password cannot be asked for. Give it with --password-stdin.',
    )
  }
  const [first, again] = await askHidden(streams, ['Password: ', 'Again: '])
  if (first === undefined || first !== again) {
    throw new UsageError('The two passwords differ. Nothing was changed.')
  }
  return first
}

async function readAll(streams: Streams): Promise<string> {
  const bytes = await readStandardInput(streams, MAX_INPUT)
  // PowerShell writes a byte order mark before what it pipes.
  const refuse = () => new UsageError('The password on standard input is not UTF-8.')
  return textOr(bytes, refuse).replace(/\r?\n$/, '')
}

const MAX_INPUT = {
  bytes: 2 * MAX_PASSWORD_BYTES,
  refusal: 'Standard input is too long for a password.',
}

/** Every answer, in order. Nothing that is typed is shown. Throws {@link UsageError} `nothing` without one. */
export async function askHidden(
  { stdin, stderr }: Streams,
  questions: readonly string[],
  nothing = 'No password was given. Nothing was changed.',
): Promise<readonly string[]> {
  // What is typed is echoed to the output of the line editor: a stream that keeps nothing.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  // It also turns the echo of the terminal off: before the first question, and until the last answer.
  const lines = createInterface({ input: stdin, output: silent, terminal: true })
  const typed = lines[Symbol.asyncIterator]()
  const answers: string[] = []
  try {
    for (const question of questions) {
      stderr.write(question)
      const { value, done } = await typed.next()
      stderr.write('\n')
      // Ctrl-C, or end of input.
      if (done) throw new UsageError(nothing)
      answers.push(value)
    }
    return answers
  } finally {
    lines.close()
  }
}
