/** A process on cores of its own that says on a line of its output that it listens. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { endWithThisProcess } from '../../faults/world/processes.ts'
import { onCores } from '../harness/cores.ts'

export interface Running {
  readonly pid: number
  readonly port: number
  readonly child: ChildProcess
  /** Its last lines of standard error. */
  errors(): string
  /** With SIGTERM; returns when it has ended. */
  stop(): Promise<void>
}

export interface Starting {
  /** The command and its arguments. */
  readonly words: readonly string[]
  readonly cores: string
  readonly environment?: Readonly<Record<string, string>>
  /** The line that says that it is ready, with its port; default: where it listens. */
  readonly ready?: RegExp
}

/** The line that says where it listens: `… listening on http://HOST:PORT …`. */
const LISTENING = /listening on http:\/\/[^:/\s]+:(\d+)/i

/** Its output goes through pipes that this process reads, as a service manager would. Throws if it ends before. */
export async function startProcess({
  words,
  cores,
  environment,
  ready = LISTENING,
}: Starting): Promise<Running> {
  const [program, args] = onCores(cores, words)
  const child = endWithThisProcess(
    spawn(program, args, {
      env: { ...process.env, ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    }),
  )
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-4_000)
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const found = ready.exec(line)
    if (!found) continue
    child.stdout.resume()
    return {
      pid: child.pid ?? 0,
      port: Number(found[1] ?? 0),
      child,
      errors: () => errors,
      stop: () => end(child),
    }
  }
  await end(child)
  throw new Error(`${words.join(' ')} ended before it listened: ${errors.trim()}`)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
