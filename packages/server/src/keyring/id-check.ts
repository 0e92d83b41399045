/**
 * A check inside what a root key has made: a part of its random bytes is an authentication code over the rest, under a
 * key that every process has from its start. A process that does not know the root key it names can thus tell whether
 * it was made by this installation, before it looks for that key. It proves nothing about what was made, and only what
 * names an unknown root key is checked: see docs/decisions/0026-a-made-up-identifier-is-recognised.md.
 */
import { timingSafeEqual } from 'node:crypto'
import { randomId } from '../random.ts'
import { deriveKey } from './derive.ts'
import type { RootKey } from './root-key-store.ts'

/** Random bytes and the check take the place of as many random bytes. */
interface Layout {
  /** Keeps the checks of different things apart. No zero bytes. */
  readonly label: string
  readonly randomBytes: number
  readonly checkBytes: number
}

/** An identifier of a macaroon: two that are equal would only share a root key, so 10 random bytes suffice. */
export const ID_LAYOUT: Layout = { label: 'ratafia check of an id', randomBytes: 10, checkBytes: 6 }
/**
 * The salt of a sealed text: two that are equal would share an encryption key and a nonce. A text that passes 4 bytes
 * by chance costs one look-up.
 */
export const SALT_LAYOUT: Layout = { label: 'ratafia check of a salt', randomBytes: 12, checkBytes: 4 }

/** New random bytes with their check; `around` is what else the check covers, in order. */
export function checkedBytes(firstKey: RootKey, layout: Layout, around: readonly Uint8Array[]): Buffer {
  const random = randomId(layout.randomBytes)
  return Buffer.concat([random, checkOf(firstKey, layout, random, around)])
}

/** Whether {@link checkedBytes} made `bytes` with the same key, layout and surroundings. */
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
