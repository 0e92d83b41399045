/**
 * A check inside identifiers and salts: part of their random bytes is an authentication code over the rest,
 * under a key that every process has from its start. If a process does not know the root key that an
 * identifier names, the check shows whether this installation created the identifier, before the process
 * looks for that key. The check proves nothing about the content, and is only used for unknown root keys: see
 * docs/decisions/0026-a-made-up-identifier-is-recognised.md.
 */
import { timingSafeEqual } from 'node:crypto'
import { randomId } from '../random.ts'
import { deriveKey } from './derive.ts'
import type { RootKey } from './key-store.ts'

/** How many of the bytes are random and how many are the check. Together they replace as many random bytes. */
interface Layout {
  /** Separates the checks of different things. Must not contain zero bytes. */
  readonly label: string
  readonly randomBytes: number
  readonly checkBytes: number
}

/** The layout in a macaroon's identifier. Two equal ones would only share a root key, so 10 random bytes suffice. */
export const ID_LAYOUT: Layout = { label: 'ratafia check of an id', randomBytes: 10, checkBytes: 6 }
/**
 * The layout in a sealed text's salt. Two equal ones would share an encryption key and a nonce. A made-up
 * text that passes 4 bytes by chance costs one look-up.
 */
export const SALT_LAYOUT: Layout = { label: 'ratafia check of a salt', randomBytes: 12, checkBytes: 4 }

/** Returns new random bytes with their check. `around` is the rest of what the check covers, in order. */
export function checkedBytes(firstKey: RootKey, layout: Layout, around: readonly Uint8Array[]): Buffer {
  const random = randomId(layout.randomBytes)
  return Buffer.concat([random, checkOf(firstKey, layout, random, around)])
}

/** Whether {@link checkedBytes} created `bytes` with the same key, layout and surroundings. */
export function passesCheck(
  firstKey: RootKey,
  layout: Layout,
  bytes: Uint8Array,
  around: readonly Uint8Array[],
): boolean {
  const random = bytes.subarray(0, layout.randomBytes)
  const check = bytes.subarray(layout.randomBytes)
  return (
    check.length === layout.checkBytes && timingSafeEqual(check, checkOf(firstKey, layout, random, around))
  )
}

function checkOf(
  { secret }: RootKey,
  { label, checkBytes }: Layout,
  random: Uint8Array,
  around: readonly Uint8Array[],
): Buffer {
  return deriveKey(secret, label, random, ...around).subarray(0, checkBytes)
}
