/** Starts a process on its own cores, and waits until it prints that it listens. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { endWithThisProcess } from '../../faults/world/processes.ts'
import { onCores } from '../harness/cores.ts'

export interface Running {
  readonly pid: number
  readonly port: number
  readonly child: ChildProcess
  /** Returns its last lines of standard error. */
  errors(): string
  /** Sends SIGTERM, and waits until it has ended. */
  stop(): Promise<void>
}

export interface Starting {
  /** The command and its arguments. */
  readonly words: readonly string[]
  readonly cores: string
  readonly environment?: Readonly<Record<string, string>>
  /** The line that it prints when it is ready, with its port; by default, that of its address. */
  readonly ready?: RegExp
}

/** The line with its address: `… listening on http://HOST:PORT …`. */
const LISTENING = /listening on http:\/\/[^:/\s]+:(\d+)/i

/** Starts a process and reads its output from pipes, like a service manager. Throws if it ends before it is ready. */
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
