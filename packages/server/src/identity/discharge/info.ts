/** `GET discharge/info`: the key that seals caveats for this identity service (contract/bakery.md 3.1). */
import type { DischargeInfo } from '@ratafia/api'
import { encodeBase64 } from '@ratafia/macaroon'
import type { Keyring } from '../../keyring/keyring.ts'

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
