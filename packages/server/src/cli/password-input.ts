/** Reads a password from standard input or asks for it at a terminal, and never from an argument. */
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { MAX_PASSWORD_BYTES } from '../accounts/passwords/password.ts'
import { textOr } from '../files/foreign-text.ts'
import { type Streams, UsageError } from './context.ts'
import { readStandardInput } from './files.ts'

/**
 * With `fromStdin`, reads all of standard input without its final line end; otherwise asks twice. Throws
 * {@link UsageError} without a terminal to ask at, or if the two answers differ.
 */
export async function readPassword(streams: Streams, fromStdin: boolean): Promise<string> {
  if (fromStdin) return readAll(streams)
  if (!streams.stdin.isTTY) {
    throw new UsageError("Can't ask for the password without a terminal. Pipe it in with --password-stdin.")
  }
  const [first, again] = await askHidden(streams, ['Password: ', 'Repeat password: '])
  if (first === undefined || first !== again) {
    throw new UsageError('The two passwords differ. Nothing was changed.')
  }
  return first
}

async function readAll(streams: Streams): Promise<string> {
  const { bytes } = await readStandardInput(streams, MAX_INPUT)
  // PowerShell puts a byte order mark before piped text.
  const refuse = () => new UsageError('The password on standard input is not UTF-8.')
  return textOr(bytes, refuse).replace(/\r?\n$/, '')
}

const MAX_INPUT = {
  bytes: 2 * MAX_PASSWORD_BYTES,
  refusal: 'Standard input is too long for a password.',
}

/** Returns every answer, in order, without showing typed text. Throws {@link UsageError} `nothing` without one. */
export async function askHidden(
  { stdin, stderr }: Streams,
  questions: readonly string[],
  nothing = 'No password was given. Nothing was changed.',
): Promise<readonly string[]> {
  // The line editor echoes typed text to its output: a stream that discards it.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  // It also turns the terminal's echo off, from before the first question until the last answer.
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
