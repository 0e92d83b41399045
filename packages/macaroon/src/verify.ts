import { timingSafeEqual } from 'node:crypto'
import { MacaroonError } from './errors.ts'
import { hmac } from './hmac.ts'
import { checkLimit, DEFAULT_LIMITS, type Limits } from './limits.ts'
import type { Caveat, Macaroon, UnverifiedSlice } from './macaroon.ts'
import { checkRootKey } from './mint.ts'
import { NONCE_BYTES, open, TAG_BYTES } from './secretbox.ts'
import { bound, chain, deriveKey } from './signature.ts'
import { checkSliceLimits } from './slice-limits.ts'
import { utf8 } from './text.ts'

/** A first-party caveat with a valid signature. The caller must check whether the condition is met. */
export interface VerifiedCondition {
  readonly condition: string
  /** The index of its macaroon in the slice; 0 is the root. A holder may have added the condition. */
  readonly macaroon: number
  /** The index among the caveats of that macaroon. */
  readonly caveat: number
}

/**
 * Checks every signature of a slice, and that discharges and third-party caveats match one to one. This is only the
 * cryptography: it returns the conditions that must also be met, depth first, with those of a discharge at the position
 * of its caveat. An empty list means that nothing is restricted.
 *
 * Throws {@link MacaroonError} `limit-exceeded`, `bad-signature`, `discharge-missing`, `discharge-reused`,
 * `discharge-unused` or `condition-not-text`; `TypeError` for an empty root key.
 */
export function verify(
  slice: UnverifiedSlice,
  rootKey: Uint8Array,
  limits: Limits = DEFAULT_LIMITS,
): VerifiedCondition[] {
  checkRootKey(rootKey)
  checkSliceLimits(slice, limits)
  const walk: Walk = { slice, limits, dischargeOf: indexDischarges(slice), used: new Set(), found: [] }
  verifyOne(walk, 0, deriveKey(rootKey), 0)
  for (let i = 1; i < slice.length; i++) {
    if (!walk.used.has(i)) {
      throw new MacaroonError(
        'discharge-unused',
        `No caveat asks for the discharge at position ${i}; leave it out`,
      )
    }
  }
  return walk.found.map(toCondition)
}

interface Found {
  readonly id: Uint8Array
  readonly macaroon: number
  readonly caveat: number
}

interface Walk {
  readonly slice: UnverifiedSlice
  readonly limits: Limits
  /** The index of the first discharge with an id, by the id's bytes as Latin-1. */
  readonly dischargeOf: ReadonlyMap<string, number>
  readonly used: Set<number>
  readonly found: Found[]
}

function verifyOne(walk: Walk, index: number, key: Uint8Array, depth: number): void {
  checkLimit('Discharges nest too deep', depth, walk.limits.nesting)
  const macaroon = walk.slice[index] as Macaroon
  const signature = hmac(key, macaroon.id)
  for (let position = 0; position < macaroon.caveats.length; position++) {
    const { id, verificationId } = macaroon.caveats[position] as Caveat
    if (verificationId === undefined) {
      walk.found.push({ id, macaroon: index, caveat: position })
    } else {
      const dischargeKey = openVerificationId(signature, verificationId)
      verifyOne(walk, takeDischarge(walk, id), dischargeKey, depth + 1)
    }
    chain(signature, id, verificationId, signature)
  }
  if (index !== 0) bound(walk.slice[0].signature, signature, signature)
  if (macaroon.signature.length !== signature.length || !timingSafeEqual(signature, macaroon.signature)) {
    const which = index === 0 ? 'The macaroon' : `The discharge at position ${index}`
    throw new MacaroonError(
      'bad-signature',
      `${which} has a wrong signature: it was changed, is not bound to this root, or has a different key`,
    )
  }
}

function openVerificationId(key: Uint8Array, verificationId: Uint8Array): Uint8Array {
  const nonce = verificationId.subarray(0, NONCE_BYTES)
  const box = verificationId.subarray(NONCE_BYTES)
  const dischargeKey = nonce.length + box.length < NONCE_BYTES + TAG_BYTES ? undefined : open(key, nonce, box)
  if (dischargeKey?.length !== 32) {
    throw new MacaroonError(
      'bad-signature',
      'A third-party caveat was changed, or was added under a different root key',
    )
  }
  return dischargeKey
}

/** Finds the discharge of a caveat, and marks it as used before it is verified, so that no cycle is possible. */
function takeDischarge(walk: Walk, caveatId: Uint8Array): number {
  const index = walk.dischargeOf.get(latin1(caveatId))
  if (index === undefined) {
    throw new MacaroonError(
      'discharge-missing',
      'A third-party caveat has no discharge; get it discharged first',
    )
  }
  if (walk.used.has(index)) {
    throw new MacaroonError(
      'discharge-reused',
      `Two caveats ask for the same discharge, at position ${index}`,
    )
  }
  walk.used.add(index)
  return index
}

/**
 * Indexes discharges by id. Only the first of several with the same id is used, so a second one counts as
 * unused and is refused.
 */
function indexDischarges(slice: UnverifiedSlice): Map<string, number> {
  const byId = new Map<string, number>()
  for (let i = slice.length - 1; i > 0; i--) byId.set(latin1((slice[i] as Macaroon).id), i)
  return byId
}

function toCondition({ id, macaroon, caveat }: Found): VerifiedCondition {
  const condition = utf8(id)
  if (condition === undefined) {
    const where = `Caveat ${caveat} of the macaroon at position ${macaroon}`
    throw new MacaroonError('condition-not-text', `${where} is not text, so its condition cannot be checked`)
  }
  return { condition, macaroon, caveat }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
