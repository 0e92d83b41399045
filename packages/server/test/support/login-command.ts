/** Runs commands like a publisher, without settings of a service. */
import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { run } from '../../src/start/run.ts'
import { type Words, wordsOf } from './cases.ts'
import { cheapPasswords } from './passwords.ts'
import type { Finished, Variables } from './program.ts'

export interface RunningLogin {
  /** Returns the URL to open. Rejects if the command exits before it prints one. */
  visit(): Promise<string>
  readonly finished: Promise<Finished>
}

/** Starts `ratafia tokens create`. */
export const startTokensCreate = (words: Words, environment: Variables = {}): RunningLogin =>
  startCommand(['tokens', 'create', ...wordsOf(words)], environment)

/** Starts a command. */
export function startCommand(
  words: Words,
  environment: Variables = {},
  { input = '', terminal = false }: { readonly input?: string; readonly terminal?: boolean } = {},
): RunningLogin {
  const stdout = new PassThrough()
  const stderr = Object.assign(new PassThrough(), { isTTY: terminal })
  const said = { stdout: '', stderr: '' }
  stdout.setEncoding('utf8').on('data', (text: string) => {
    said.stdout += text
  })
  stderr.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text
  })
  const streams = { stdin: Readable.from(input === '' ? [] : [input]), stdout, stderr }
  const finished = run(['node', 'ratafia', ...wordsOf(words)], {
    environment,
    streams,
    passwords: cheapPasswords(),
  }).then(async (code) => {
    stdout.end()
    stderr.end()
    if (!stdout.closed) await once(stdout, 'close')
    if (!stderr.closed) await once(stderr, 'close')
    return { code, ...said }
  })
  const visit = async (): Promise<string> => {
    for (;;) {
      const [, address] = /^ {2}(https?:\S+)\n/m.exec(said.stderr) ?? []
      if (address !== undefined) return address
      const ended = await Promise.race([once(stderr, 'data').then(() => undefined), finished])
      if (ended) throw new Error(`the command exited with ${ended.code}: ${ended.stderr}`)
    }
  }
  return { visit, finished }
}

export const tokensCreate = (words: Words, environment?: Variables): Promise<Finished> =>
  startTokensCreate(words, environment).finished
