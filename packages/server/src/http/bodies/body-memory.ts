/**
 * Limits the memory for request bodies, from their first byte until the answer is ready. A body either gets
 * its whole length before any of it is read, or is refused with a 503. Without a `Content-Length`, it gets
 * more as it grows. No network can use all of it: see {@link Shares}.
 */
import type { FastifyInstance } from 'fastify'
import type { Networks } from '../../addresses/address.ts'
import { TooManyRequests } from '../../errors.ts'
import { Shares } from '../../limits/shares.ts'
import { hasBody } from './body-headers.ts'

export interface BodyMemoryOptions {
  /** The bytes that all bodies of the process can use together. Default: 64 MiB. */
  readonly total?: number
}

const TOTAL = 64 * 1024 * 1024
/** The minimum charge for each piece of a body, however short it is: clients choose the pieces. */
const PIECE = 512
/** No route accepts a longer body, so a longer one is refused unread. */
const LONGEST = 4 * 1024 * 1024

/** Applies to routes added to `app` later, read by `read-body.ts`. They throw {@link TooManyRequests}: a 503. */
export function limitBodyMemory(app: FastifyInstance, { total = TOTAL }: BodyMemoryOptions = {}): void {
  const shares = new Shares(total)
  app.decorateRequest('bodySpace', undefined)
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { raw, client } = request
    // A client that left while the limits were checked sends nothing, and its `close` event has already fired.
    if (!hasBody(raw) || reply.raw.closed) return done(null, payload)
    const space = new BodySpace(shares, client.networks)
    const announced = Number(raw.headers['content-length'] ?? 0)
    // The first and the last piece may be short.
    if (announced <= LONGEST && !space.growTo(announced + 2 * PIECE)) return done(busy())
    request.bodySpace = space
    reply.raw.on('close', () => space.release())
    done(null, payload)
  })
}

/** snapd gives up on a 429 but retries a 503 (contract/devices.md 1.5). */
const busy = () => new TooManyRequests(1_000, { asBusy: true })

/** The memory that one body uses. */
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

  /** Returns undefined if there is room for another piece of the body. */
  refuses(piece: Uint8Array): TooManyRequests | undefined {
    this.#bytes += Math.max(piece.length, PIECE)
    return this.growTo(this.#bytes) ? undefined : busy()
  }

  /** Returns false if there is no memory left. */
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
