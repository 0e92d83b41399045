/** The keys that sign releases: the current one, and the next one, which the current one has signed. */
import { type PublicKey, parsePublicKey } from './public-key.ts'
import { parseSignature, verifySignature } from './signature.ts'

/** The namespace of signatures over `SHA256SUMS`. */
export const RELEASE_NAMESPACE = 'ratafia-release'
/** The namespace of signatures over the next key. */
export const KEY_NAMESPACE = 'ratafia-release-key'

export interface ReleaseKeyTexts {
  /** The line of the `.pub` file, without its newline; '' in a project that has not published anything. */
  readonly current: string
  readonly next: string
  /** The armored signature of the current key over the `.pub` file of the next one. */
  readonly nextSignature: string
}

export interface ReleaseKey extends PublicKey {
  readonly place: 'current' | 'next'
}

/** Returns both keys, or none without texts. Throws `ReleaseError` unless the current key signed the next one. */
export function readReleaseKeys({ current, next, nextSignature }: ReleaseKeyTexts): readonly ReleaseKey[] {
  if ([current, next, nextSignature].every((text) => text === '')) return []
  const first = { ...parsePublicKey(current, 'The current key'), place: 'current' } as const
  const second = { ...parsePublicKey(next, 'The next key'), place: 'next' } as const
  const signed = { message: Buffer.from(`${next}\n`), name: 'the next key', namespace: KEY_NAMESPACE }
  verifySignature(parseSignature(nextSignature, "The next key's signature"), signed, [first])
  return [first, second]
}

/** Returns a file of allowed signers for `ssh-keygen -Y verify -I ratafia`, a line for each key. */
export const allowedSigners = (keys: readonly PublicKey[]): string =>
  keys.map(({ line }) => `ratafia namespaces="${RELEASE_NAMESPACE}" ${line}\n`).join('')
