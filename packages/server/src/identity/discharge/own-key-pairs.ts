/** Opens caveats sealed to the identity service, even if this node does not have its newest key pair yet. */
import type { DischargeInfo } from '@ratafia/api'
import { encodeBase64 } from '@ratafia/macaroon'
import { BakeryError, type KeyPair } from '@ratafia/macaroon/bakery'
import { RequestError } from '../../errors.ts'
import type { Keyring } from '../../keyring/keyring.ts'

/**
 * Runs `open` with the key pairs of the identity service, newest first. If none fits, another node may have
 * just rotated the pair, so reads the key pairs again and tries once more. Throws what `open` throws,
 * `service-unavailable` if too many requests already wait for the key pairs, and `Unavailable`.
 */
export async function withOwnKeyPairs<Result>(
  { dischargerKeyPairs, lookForKeyPairs }: Keyring,
  open: (keyPairs: readonly KeyPair[]) => Promise<Result>,
): Promise<Result> {
  const known = await dischargerKeyPairs()
  try {
    return await open(known)
  } catch (error) {
    if (!(error instanceof BakeryError && error.code === 'public-key-mismatch')) throw error
    if (!(await lookForKeyPairs())) {
      throw new RequestError(
        'service-unavailable',
        'The caveat is sealed to an unknown key, and too many clients are waiting for it to be looked up. Try again ' +
          'in a moment.',
      )
    }
    const now = await dischargerKeyPairs()
    if (now.length === known.length) throw error
    return open(now)
  }
}

/** `GET discharge/info`: returns the key to seal caveats for this identity service (contract/bakery.md 3.1). */
export async function dischargeInfo({
  keyring,
  passwordLogins,
}: {
  readonly keyring: Keyring
  readonly passwordLogins: boolean
}): Promise<DischargeInfo> {
  const [newest] = await keyring.dischargerKeyPairs()
  const PublicKey = encodeBase64(newest.publicKey)
  return { PublicKey, Version: 3, RequestSummary: true, PasswordLogins: passwordLogins, Login: true }
}
