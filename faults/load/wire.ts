/** Requests to the nodes, each recorded with the time it was sent and answered. */
import { createHash } from 'node:crypto'
import { Agent, request } from 'node:http'
import type { Kind, Seen } from '../history.ts'
import { type Random, seeded } from './random.ts'

export interface Target {
  readonly name: string
  readonly port: number
}

/** What the answer proves; called for a 200 only. */
export type Proof = Pick<Seen, 'session' | 'device' | 'once'>

export interface Request extends Pick<Seen, 'uses' | 'ends' | 'mustHold' | 'final' | 'waits'> {
  readonly kind: Kind
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly proves?: (body: string) => Proof
}

export interface Answer {
  readonly status: number
  readonly body: string
}

export interface Recorder {
  readonly history: Seen[]
  /** Milliseconds since the run began. */
  now(): number
}

export function newRecorder(): Recorder {
  const start = performance.now()
  return { history: [], now: () => performance.now() - start }
}

/** When a client gives up waiting. */
const PATIENCE_MS = 6_000
/** How long an unresponsive node is avoided, as a load balancer would. */
const AVOID_MS = 700

export class Wire {
  readonly targets: readonly Target[]
  readonly recorder: Recorder
  readonly #agents: ReadonlyMap<Target, Agent>
  readonly #avoidUntil = new Map<Target, number>()
  /** Separate from the clients' randomness, so that work beside the load does not change what clients do next. */
  readonly #addresses = seeded('addresses', '')

  constructor(targets: readonly Target[], recorder: Recorder) {
    this.targets = targets
    this.recorder = recorder
    this.#agents = new Map(targets.map((target) => [target, new Agent({ keepAlive: true, maxSockets: 64 })]))
  }

  /** A node not known to be silent; any node if all are. */
  pick(random: Random): Target {
    const now = this.recorder.now()
    const speaking = this.targets.filter((target) => (this.#avoidUntil.get(target) ?? 0) < now)
    const target = random.pick(speaking.length > 0 ? speaking : this.targets)
    if (!target) throw new TypeError('there is no node')
    return target
  }

  async send(target: Target, asked: Request): Promise<Answer> {
    const { kind, proves, uses, ends, mustHold, final, waits } = asked
    const sent = this.recorder.now()
    const outcome = await this.#exchange(target, asked, addressOf(this.#addresses)).catch(
      (error: Error) => error,
    )
    const answered = this.recorder.now()
    if (outcome instanceof Error) this.#avoidUntil.set(target, answered + AVOID_MS)
    const { status, body } = outcome instanceof Error ? { status: 0, body: outcome.message } : outcome
    this.recorder.history.push({
      ...{ kind, where: target.name, sent, answered, status },
      ...(status === 200 ? proves?.(body) : { detail: body.slice(0, 300) }),
      ...(uses && { uses }),
      ...(ends !== undefined && { ends }),
      ...(mustHold && { mustHold }),
      ...(final && { final }),
      ...(waits !== undefined && { waits }),
    })
    return { status, body }
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy()
  }

  #exchange(target: Target, { method, path, headers = {}, body }: Request, from: string): Promise<Answer> {
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
        signal: AbortSignal.timeout(PATIENCE_MS),
      })
      outgoing.on('error', reject)
      outgoing.on('response', (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () => {
          // A truncated answer does not count.
          if (!incoming.complete) return reject(new Error('the answer is not complete'))
          resolve({ status: incoming.statusCode ?? 0, body: Buffer.concat(chunks).toString() })
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
