/** Runs the program's commands as an operator does. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { endWithThisProcess, environmentWith } from './processes.ts'
import type { Release } from './release.ts'
import { HANGS_AFTER_MS } from './until.ts'

interface Finished {
  /** The exit code; null if a signal ended the command. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command. Throws an Error if it hangs. */
export type Command = (
  words: readonly string[],
  options?: { /** Kills it with SIGKILL. */ readonly kill?: AbortSignal },
) => Promise<Finished>

export interface Installation extends Release {
  readonly environment: Readonly<Record<string, string>>
}

export const commandOf =
  (installation: Installation): Command =>
  async (words, { kill } = {}) => {
    const child = endWithThisProcess(
      spawn(process.execPath, [installation.program, ...words], {
        env: environmentWith(installation.environment),
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )
    kill?.addEventListener('abort', () => child.kill('SIGKILL'))
    let hangs = false
    const timer = setTimeout(() => {
      hangs = true
      child.kill('SIGKILL')
    }, HANGS_AFTER_MS)
    const ended = once(child, 'close')
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
    const [code] = (await ended) as [number | null]
    clearTimeout(timer)
    if (hangs) throw new Error(`ratafia ${words.join(' ')} did not finish: ${stderr.slice(-2_000)}`)
    return { code, stdout, stderr }
  }
