/**
 * Password hashes: scrypt (RFC 7914) of the platform. The stored text has the parameters, so that they can be raised
 * later. Hashing is slow on purpose and therefore bounded: a few at a time, a short queue, then {@link Unavailable}.
 *
 * Stored: `$scrypt$ln=15,r=8,p=3$SALT$HASH`, salt (16 bytes) and hash (32 bytes) in unpadded base64url.
 */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import pLimit from 'p-limit'
import { Unavailable } from '../../errors.ts'

interface Parameters {
  /** log2 of N. */
  readonly ln: number
  readonly r: number
  readonly p: number
}

/** 32 MiB and about a quarter of a second on one core (OWASP password storage cheat sheet: N=2^15, r=8, p=3). */
const CURRENT: Parameters = { ln: 15, r: 8, p: 3 }
const SALT_BYTES = 16
const HASH_BYTES = 32

export interface PasswordHasher {
  /** A new stored text. Throws {@link Unavailable} when too many hashes are waiting. */
  hash(password: Uint8Array): Promise<string>
  /**
   * Whether the password is the stored one. For `undefined` (no such account, no password) false, after the same
   * work as for a wrong password. Throws {@link Unavailable} when too many hashes are waiting.
   */
  verify(password: Uint8Array, stored: string | undefined): Promise<boolean>
}

declare module '../../stores.ts' {
  interface Stores {
    readonly passwords: PasswordHasher
  }
}

export interface PasswordHasherOptions {
  /** How many hashes are computed at a time; each takes 32 MiB and a thread. */
  readonly concurrency?: number
  /** How many may wait. */
  readonly queue?: number
  /** For tests: cheaper parameters. */
  readonly parameters?: Parameters
}

export function createPasswordHasher(options: PasswordHasherOptions = {}): PasswordHasher {
  const { concurrency = 2, queue = 64, parameters = CURRENT } = options
  const inTurn = limiter(concurrency, queue)
  // No password fits: salt and hash are independent random bytes.
  const dummy: StoredHash = { parameters, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) }
  return {
    hash: async (password) => {
      const salt = randomBytes(SALT_BYTES)
      const hash = await inTurn(() => derive(password, salt, parameters))
      const { ln, r, p } = parameters
      return `$scrypt$ln=${ln},r=${r},p=${p}$${salt.toString('base64url')}$${hash.toString('base64url')}`
    },
    verify: async (password, stored) => {
      const expected = stored === undefined ? dummy : parseStored(stored)
      const hash = await inTurn(() => derive(password, expected.salt, expected.parameters))
      return timingSafeEqual(hash, expected.hash) && stored !== undefined
    },
  }
}

interface StoredHash {
  readonly parameters: Parameters
  readonly salt: Buffer
  readonly hash: Buffer
}

const STORED = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w-]{22})\$([\w-]{43})$/

/** Throws a plain Error: we wrote what is stored, so another form is a fault and not a refusal. */
function parseStored(text: string): StoredHash {
  const [, ln, r, p, salt, hash] = STORED.exec(text) ?? []
  if (salt === undefined || hash === undefined) throw new Error('A stored password hash has an unknown form.')
  const parameters = { ln: Number(ln), r: Number(r), p: Number(p) }
  if (parameters.ln > 20 || parameters.r > 32 || parameters.p > 16) {
    throw new Error('A stored password hash has parameters beyond what this service computes.')
  }
  return { parameters, salt: Buffer.from(salt, 'base64url'), hash: Buffer.from(hash, 'base64url') }
}

function derive(password: Uint8Array, salt: Uint8Array, { ln, r, p }: Parameters): Promise<Buffer> {
  const N = 2 ** ln
  // The default maximum is what N=2^15, r=8 takes without overhead; twice the need is always enough.
  const options: ScryptOptions = { N, r, p, maxmem: 2 * 128 * (N * r + r * p) + 1024 * 1024 }
  return new Promise((resolve, reject) => {
    scrypt(password, salt, HASH_BYTES, options, (error, key) => (error ? reject(error) : resolve(key)))
  })
}

/** Runs work when its turn comes; throws {@link Unavailable} at once when `queue` others already wait. */
function limiter(concurrency: number, queue: number) {
  const limit = pLimit(concurrency)
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (limit.activeCount >= concurrency && limit.pendingCount >= queue) {
      throw new Unavailable('too many passwords are being checked at once')
    }
    return limit(work)
  }
}
