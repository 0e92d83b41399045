/** Runs the service in its own process, from the bundled program. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { ratafiaCommand } from '../../tools/test/programs.ts'
import { endWithThisProcess } from './end-with-this-process.ts'
import type { Installation } from './installation.ts'
import { cleanEnvironment } from './paths.ts'

export interface Service {
  /** The URL that the service prints. */
  readonly url: string
  /** Stops the service with the signal of an operator. Returns the exit code. */
  stop(): Promise<number | null>
}

/**
 * Starts the service on a free port. Stores port and URL in the installation's settings, so that commands and later
 * starts use the same service, as after an operator's restart.
 */
export async function startService(
  installation: Installation,
  words: readonly string[] = ['serve'],
): Promise<Service> {
  const [file, ...first] = ratafiaCommand()
  const child = spawn(file, [...first, ...words], {
    env: cleanEnvironment(installation.environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endWithThisProcess(child)
  let log = ''
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString()
  })
  for await (const line of createInterface({ input: child.stdout, crlfDelay: Infinity })) {
    const [, url] = /^ratafia listening on (https?:\/\/\S+)/.exec(line) ?? []
    if (url === undefined) continue
    // Keep reading and discard the rest, so that the service never blocks on a full pipe.
    child.stdout.resume()
    installation.environment['RATAFIA_BASE_URL'] = url
    return { url, stop: () => stop(child) }
  }
  throw new Error(`ratafia ${words.join(' ')} exited before it was listening: ${log.trim()}`)
}

async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const [code] = (await ended) as [number | null]
  return code
}
