/** A client's command at a real terminal, where a person types at its questions. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cleanEnvironment, clientPaths } from './paths.ts'

export interface AtTerminal {
  /** Everything that the terminal showed. */
  readonly shown: string
  /** Whether what is typed would have been shown, at each question. */
  readonly echoes: readonly boolean[]
  readonly code: number
}

export type Typed = readonly (readonly [question: string, text: string])[]

/** Types each text the instant its question is there. */
export async function atTerminal(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
  answers: Typed = [],
): Promise<AtTerminal> {
  const asked = { command, environment: cleanEnvironment({ TERM: 'xterm', ...environment }), answers }
  const script = join(clientPaths.interop, 'clients/at_terminal.py')
  const words = [script, JSON.stringify(asked)]
  // Servers of the test may have to answer meanwhile.
  const { stdout } = await promisify(execFile)(clientPaths.python, words, { timeout: 120_000 })
  return JSON.parse(stdout) as AtTerminal
}
