/** A command at a terminal of its own, and someone who types at its questions. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { clientPaths } from './paths.ts'

export interface AtTerminal {
  /** Everything that the terminal showed. */
  readonly shown: string
  /** Whether it would have echoed at each question. */
  readonly echoes: readonly boolean[]
  readonly code: number
}

/** Types each text the instant its question is shown. `environment` is all of the command's. */
export async function atTerminal(
  command: readonly string[],
  answers: readonly (readonly [question: string, text: string])[],
  environment: Readonly<Record<string, string>>,
): Promise<AtTerminal> {
  const script = join(clientPaths.interop, 'clients/at_terminal.py')
  const asked = JSON.stringify({ command, environment: { TERM: 'xterm', ...environment }, answers })
  const { stdout } = await promisify(execFile)(clientPaths.python, [script, asked], { timeout: 120_000 })
  return JSON.parse(stdout) as AtTerminal
}
