/** A node of the service: `ratafia serve` in its own processes, on a fixed port. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Target } from '../load/wire.ts'
import type { Installation } from './command.ts'
import { NodeLog } from './node-log.ts'
import { endWithThisProcess, environmentWith } from './processes.ts'
import { HANGS_AFTER_MS, until } from './until.ts'

/** The pause between two attempts to start a node. */
const AGAIN_MS = 250

export class Node implements Target {
  readonly name: string
  readonly port: number
  /** The installation of the next start. A rolling upgrade changes its release. */
  installation: Installation
  #child: ChildProcess | undefined
  /** The log of all its processes, since the first start. */
  readonly log = new NodeLog()
  #endings: string[] = []
  #clockOffset = 0

  constructor(name: string, port: number, installation: Installation) {
    this.name = name
    this.port = port
    this.installation = installation
  }

  /** Sentences about the times when it stopped unexpectedly. */
  get endings(): readonly string[] {
    return this.#endings
  }

  /** How far its clock is shifted, in milliseconds, as its process reported last; 0 if it is not. */
  get clockOffset(): number {
    return this.#clockOffset
  }

  get running(): boolean {
    return this.#child !== undefined
  }

  /**
   * Starts the node, and returns once it listens. A killed node may have left the port or its database
   * unusable for a moment, so a failed start is retried, as a service manager would do.
   */
  async start(more: Readonly<Record<string, string>> = {}): Promise<void> {
    await until(`${this.name} to start`, () => this.#startOnce(more), { everyMs: AGAIN_MS })
  }

  /** Stops it with SIGTERM, as a service manager does. Returns the milliseconds that this took. */
  async stop(): Promise<number> {
    const before = performance.now()
    await this.#end('SIGTERM')
    return performance.now() - before
  }

  /** Kills the main process with SIGKILL. */
  kill(): Promise<void> {
    return this.#end('SIGKILL')
  }

  /** Returns the ids of its worker processes, if any, oldest first. */
  workers(): readonly number[] {
    const parent = this.#child?.pid
    const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    return table
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number))
      .flatMap(([pid, of]) => (pid !== undefined && of !== undefined && of === parent ? [pid] : []))
      .sort((a, b) => a - b)
  }

  /** Returns the ids of all its processes. */
  pids(): readonly number[] {
    return this.#child?.pid === undefined ? [] : [this.#child.pid, ...this.workers()]
  }

  async #startOnce(more: Readonly<Record<string, string>>): Promise<boolean> {
    const child = endWithThisProcess(
      spawn(process.execPath, [this.installation.program, 'serve'], {
        env: environmentWith({
          ...this.installation.environment,
          ...more,
          RATAFIA_PORT: String(this.port),
        }),
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )
    this.#child = child
    this.#clockOffset = 0
    child.stderr.on('data', (chunk: Buffer) => {
      for (const line of this.log.add(chunk.toString())) {
        const [, clock] = /^clock (.+)$/.exec(line) ?? []
        if (clock !== undefined) this.#clockOffset = Date.parse(clock) - Date.now()
      }
    })
    child.once('exit', (code, signal) => {
      if (this.#child !== child) return
      this.#child = undefined
      if (listening) {
        this.#endings.push(
          `${this.name} stopped by itself with ${code ?? signal}: ${this.log.tail.slice(-500)}`,
        )
      }
    })
    let listening = false
    const deadline = setTimeout(() => child.kill('SIGKILL'), HANGS_AFTER_MS)
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.startsWith('ratafia listening on ')) continue
      listening = true
      // Keep reading and discard, so that the node never blocks on a full pipe.
      child.stdout.resume()
      break
    }
    clearTimeout(deadline)
    return listening
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (!child) return
    this.#child = undefined
    const ended = once(child, 'exit')
    child.kill(signal)
    const impatient = setTimeout(() => {
      this.#endings.push(`${this.name} did not stop`)
      child.kill('SIGKILL')
    }, HANGS_AFTER_MS)
    await ended
    clearTimeout(impatient)
  }
}
