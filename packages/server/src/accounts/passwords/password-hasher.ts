/**
 * Hashes passwords with Node's scrypt (RFC 7914). The stored text includes the parameters, so they can be raised later.
 * Hashing is slow on purpose and therefore bounded: a few at a time, with a short queue, then {@link Unavailable}.
 *
 * The stored text is `$scrypt$ln=15,r=8,p=3$SALT$HASH`, with the salt (16 bytes) and the hash (32 bytes) in unpadded
 * base64url.
 */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import pLimit from 'p-limit'
import { Unavailable } from '../../errors.ts'

interface Parameters {
  /** The base-2 logarithm of N. */
  readonly ln: number
  readonly r: number
  readonly p: number
}

/** Takes 32 MiB and about 0.25 seconds of one core (OWASP password storage cheat sheet: N=2^15, r=8, p=3). */
const CURRENT: Parameters = { ln: 15, r: 8, p: 3 }
const SALT_BYTES = 16
const HASH_BYTES = 32

export interface PasswordHasher {
  /** Returns a new stored text. Throws {@link Unavailable} if too many hashes are waiting. */
  hash(password: Uint8Array): Promise<string>
  /**
   * Returns whether the password is the stored one. For `undefined` (no such account, or no password) returns false
   * after the same work as for a wrong password. Throws {@link Unavailable} if too many hashes are waiting.
   */
  verify(password: Uint8Array, stored: string | undefined): Promise<boolean>
}

declare module '../../stores.ts' {
  interface Stores {
    readonly passwords: PasswordHasher
  }
}

export interface PasswordHasherOptions {
  /** The number of hashes computed at a time. Each takes 32 MiB and a thread. */
  readonly concurrency?: number
  /** The number of hashes that can wait. */
  readonly queue?: number
  /** Cheaper parameters, for tests. */
  readonly parameters?: Parameters
}

export function createPasswordHasher(options: PasswordHasherOptions = {}): PasswordHasher {
  const { concurrency = 2, queue = 64, parameters = CURRENT } = options
  const inTurn = limiter(concurrency, queue)
  // No password matches, because salt and hash are independent random bytes.
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

/** Parses a stored text. Throws a plain Error, because this service wrote it, so a different form is a bug. */
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
  // The default maximum is exactly what N=2^15, r=8 needs, without overhead. Twice the need is always enough.
  const options: ScryptOptions = { N, r, p, maxmem: 2 * 128 * (N * r + r * p) + 1024 * 1024 }
  return new Promise((resolve, reject) => {
    scrypt(password, salt, HASH_BYTES, options, (error, key) => (error ? reject(error) : resolve(key)))
  })
}

/**
 * Returns a function that runs work in order, and throws {@link Unavailable} at once if `queue` others already wait.
 */
function limiter(concurrency: number, queue: number) {
  const limit = pLimit(concurrency)
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (limit.activeCount >= concurrency && limit.pendingCount >= queue) {
      throw new Unavailable('too many passwords are being checked at once')
    }
    return limit(work)
  }
}
