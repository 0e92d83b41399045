/** Opening what is sealed to the identity service, on a node that may not have seen its newest key pair yet. */
import { BakeryError, type KeyPair } from '@ratafia/macaroon/bakery'
import type { Keyring } from '../../keyring/keyring.ts'

/**
 * Runs `open` with the key pairs of the identity service, newest first. If none of them fits, another node may have
 * rotated just now and sealed to a pair that this one has not read: it looks, and tries once more. Throws what `open`
 * throws, and `Unavailable`.
 */
export async function withOwnKeyPairs<Result>(
  { dischargerKeyPairs, lookForKeyPairs }: Pick<Keyring, 'dischargerKeyPairs' | 'lookForKeyPairs'>,
  open: (keyPairs: readonly KeyPair[]) => Promise<Result>,
): Promise<Result> {
  const known = await dischargerKeyPairs()
  try {
    return await open(known)
  } catch (error) {
    if (!(error instanceof BakeryError && error.code === 'public-key-mismatch')) throw error
    await lookForKeyPairs()
    const now = await dischargerKeyPairs()
    if (now.length === known.length) throw error
    return open(now)
  }
}
