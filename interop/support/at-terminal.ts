/** Runs a client's command at a real terminal, and types answers to its questions. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cleanEnvironment, clientPaths } from './paths.ts'

export interface AtTerminal {
  /** Everything that the terminal showed. */
  readonly shown: string
  /** Whether the terminal would have shown typed text, for each question. */
  readonly echoes: readonly boolean[]
  readonly code: number
}

export type Typed = readonly (readonly [question: string, text: string])[]

/** Runs the command, and types each answer the instant its question appears. */
export async function atTerminal(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
  answers: Typed = [],
): Promise<AtTerminal> {
  const asked = { command, environment: cleanEnvironment({ TERM: 'xterm', ...environment }), answers }
  const script = join(clientPaths.interop, 'clients/at_terminal.py')
  const words = [script, JSON.stringify(asked)]
  // Wait asynchronously, because servers in this process may have to answer meanwhile.
  const { stdout } = await promisify(execFile)(clientPaths.python, words, { timeout: 120_000 })
  return JSON.parse(stdout) as AtTerminal
}
