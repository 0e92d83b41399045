/**
 * Limits the memory that the bodies of requests take, from their first byte until the answer is made. A body gets its
 * length at once and before anything is read, or is refused with a 503; without a `Content-Length` it gets more as it
 * grows. No network gets all of it: see {@link Shares}.
 */
import type { FastifyInstance } from 'fastify'
import type { Networks } from '../../addresses/address.ts'
import { TooManyRequests } from '../../errors.ts'
import { Shares } from '../../limits/shares.ts'
import { hasBody } from './has-body.ts'

export interface BodyMemoryOptions {
  /** Bytes that all bodies of the process may take together. Default: 64 MiB. */
  readonly total?: number
}

const TOTAL = 64 * 1024 * 1024
/** What a piece of a body takes at least, however short it is: clients choose the pieces. */
const PIECE = 512
/** No route takes longer ones, so what announces more is refused unread. */
const LONGEST = 4 * 1024 * 1024

/** For routes added to `app` later, whose bodies `read-body.ts` reads. They throw {@link TooManyRequests}: a 503. */
export function limitBodyMemory(app: FastifyInstance, { total = TOTAL }: BodyMemoryOptions = {}): void {
  const shares = new Shares(total)
  app.decorateRequest('bodySpace', undefined)
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { raw, client } = request
    // Who has left while the limits were checked sends nothing, and is not seen to leave again.
    if (!hasBody(raw) || reply.raw.closed) return done(null, payload)
    const space = new BodySpace(shares, client.networks)
    const announced = Number(raw.headers['content-length'] ?? 0)
    // Its first and its last piece may be short.
    if (announced <= LONGEST && !space.growTo(announced + 2 * PIECE)) return done(busy())
    request.bodySpace = space
    reply.raw.on('close', () => space.release())
    done(null, payload)
  })
}

/** snapd gives up on a 429 and tries again on a 503 (contract/devices.md 1.5). */
const busy = () => new TooManyRequests(1_000, { asBusy: true })

/** What one body takes of the memory. */
export class BodySpace {
  readonly #shares: Shares
  readonly #networks: Networks
  #bytes = 0
  #taken = 0
  #isReleased = false

  constructor(shares: Shares, networks: Networks) {
    this.#shares = shares
    this.#networks = networks
  }

  /** Undefined if there is room for a further piece of the body. */
  refuses(piece: Uint8Array): TooManyRequests | undefined {
    this.#bytes += Math.max(piece.length, PIECE)
    return this.growTo(this.#bytes) ? undefined : busy()
  }

  /** False if there is no more. */
  growTo(bytes: number): boolean {
    const more = bytes - this.#taken
    if (more <= 0) return true
    if (this.#isReleased || !this.#shares.take(this.#networks, more)) return false
    this.#taken = bytes
    return true
  }

  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#shares.giveBack(this.#networks, this.#taken)
  }
}
