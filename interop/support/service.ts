/** The service as a user starts it: the program, in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { endWithThisProcess } from './end-with-this-process.ts'
import type { Installation } from './installation.ts'
import { cleanEnvironment, clientPaths } from './paths.ts'

export interface Service {
  /** The address in the line that says it listens. */
  readonly url: string
  /** The signal of an operator; gives the exit code. */
  stop(): Promise<number | null>
}

/**
 * Starts it on a free port, and remembers that port and address in the installation's settings: commands and later
 * starts are of the same service, as after an operator's restart.
 */
export async function startService(
  installation: Installation,
  words: readonly string[] = ['serve'],
): Promise<Service> {
  const child = spawn(clientPaths.ratafia, words, {
    env: cleanEnvironment(installation.environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endWithThisProcess(child)
  let log = ''
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString()
  })
  for await (const line of createInterface({ input: child.stdout, crlfDelay: Infinity })) {
    const [, url] = /^ratafia listening on (http:\/\/\S+)/.exec(line) ?? []
    if (url === undefined) continue
    // The rest of what it says is read and dropped, so that it never waits for us.
    child.stdout.resume()
    installation.environment['RATAFIA_PORT'] = new URL(url).port
    installation.environment['RATAFIA_BASE_URL'] = url
    return { url, stop: () => stop(child) }
  }
  throw new Error(`ratafia ${words.join(' ')} ended before it listened: ${log.trim()}`)
}

async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const [code] = (await ended) as [number | null]
  return code
}
