/** Sends requests to nodes, and records when each was sent and answered. */
import { createHash } from 'node:crypto'
import { Agent, request } from 'node:http'
import type { Kind, Seen } from '../history.ts'
import { Progress } from '../progress.ts'
import { HANGS_AFTER_MS } from '../world/until.ts'
import { type Random, seeded } from './random.ts'

export interface Target {
  readonly name: string
  readonly port: number
}

/** The facts that a successful answer proves. */
export type Proof = Pick<Seen, 'session' | 'device' | 'once' | 'job'>

export interface Request extends Pick<Seen, 'uses' | 'ends' | 'mustHold' | 'final' | 'waits' | 'forbidden'> {
  readonly kind: Kind
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly proves?: (body: string) => Proof
  /** The status of an answer that `proves` can read. Default: 200. */
  readonly success?: number
  /** For a form: returns whether this redirect means that it succeeded. Then the recorded status is 200. */
  readonly isDone?: (location: string) => boolean
}

export interface Answer {
  readonly status: number
  readonly body: string
  /** The target of a redirect. */
  readonly location?: string | undefined
}

export interface Recorder {
  readonly history: Seen[]
  readonly progress: Progress
  /** Returns the milliseconds since the run began. */
  now(): number
}

export function newRecorder(): Recorder {
  const start = performance.now()
  return { history: [], progress: new Progress(), now: () => performance.now() - start }
}

/**
 * When a client gives up under load, so that a node without answers from its database does not occupy all clients. An
 * unanswered request proves nothing about the service.
 */
const PATIENCE_MS = 20_000
/** How long an unresponsive node is avoided, as a load balancer would. */
const AVOID_MS = 700

export class Wire {
  readonly targets: readonly Target[]
  readonly recorder: Recorder
  readonly #agents: ReadonlyMap<Target, Agent>
  readonly #avoidUntil = new Map<Target, number>()
  /** Separate from the clients' randomness, so that parallel work does not change what clients do next. */
  readonly #addresses = seeded('addresses', '')

  constructor(targets: readonly Target[], recorder: Recorder) {
    this.targets = targets
    this.recorder = recorder
    this.#agents = new Map(targets.map((target) => [target, new Agent({ keepAlive: true, maxSockets: 64 })]))
  }

  /** Picks a node that answered recently, or any node if none did. */
  pick(random: Random): Target {
    const now = this.recorder.now()
    const speaking = this.targets.filter((target) => (this.#avoidUntil.get(target) ?? 0) < now)
    const target = random.pick(speaking.length > 0 ? speaking : this.targets)
    if (!target) throw new TypeError('there is no node')
    return target
  }

  async send(target: Target, asked: Request): Promise<Answer> {
    const { kind, proves, uses, ends, mustHold, final, waits, forbidden, isDone, success = 200 } = asked
    const sent = this.recorder.now()
    const exchanged = this.#exchange(target, asked, addressOf(this.#addresses))
    const outcome = await this.recorder.progress
      .during(`${kind} at ${target.name}`, exchanged)
      .catch((error: Error) => error)
    const answered = this.recorder.now()
    if (outcome instanceof Error) this.#avoidUntil.set(target, answered + AVOID_MS)
    const { body, location, ...answer }: Answer =
      outcome instanceof Error ? { status: 0, body: outcome.message } : outcome
    const status = location !== undefined && isDone?.(location) ? 200 : answer.status
    this.recorder.history.push({
      ...{ kind, where: target.name, sent, answered, status },
      ...(status === success ? proves?.(body) : { detail: body.slice(0, 300) }),
      ...(uses && { uses }),
      ...(ends !== undefined && { ends }),
      ...(mustHold && { mustHold }),
      ...(final && { final }),
      ...(waits !== undefined && { waits }),
      ...(forbidden && { forbidden }),
    })
    return { status, body, location }
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy()
  }

  #exchange(
    target: Target,
    { method, path, headers = {}, body, final }: Request,
    from: string,
  ): Promise<Answer> {
    const agent = this.#agents.get(target)
    return new Promise((resolve, reject) => {
      const outgoing = request({
        ...{ host: '127.0.0.1', port: target.port, method, path, ...(agent && { agent }) },
        headers: {
          ...headers,
          // Each client has its own address, so that rate limits do not interfere.
          'x-forwarded-for': from,
          ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
        },
        signal: AbortSignal.timeout(final ? HANGS_AFTER_MS : PATIENCE_MS),
      })
      outgoing.on('error', reject)
      outgoing.on('response', (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () => {
          // A truncated answer counts as missing.
          if (!incoming.complete) return reject(new Error('the answer is incomplete'))
          const { statusCode = 0, headers } = incoming
          resolve({
            ...{ status: statusCode, body: Buffer.concat(chunks).toString() },
            location: headers.location,
          })
        })
      })
      outgoing.end(body)
    })
  }
}

const addressOf = (random: Random): string =>
  `10.${random.below(256)}.${random.below(256)}.${random.below(254) + 1}`

export const hashOf = (text: string | Uint8Array): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 16)
