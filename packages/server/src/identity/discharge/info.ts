/** `GET discharge/info`: the key that seals caveats for this identity service (contract/bakery.md 3.1). */
import type { DischargeInfo } from '@ratafia/api'
import { encodeBase64 } from '@ratafia/macaroon'
import type { Keyring } from '../../keyring/keyring.ts'

export async function dischargeInfo(keyring: Keyring): Promise<DischargeInfo> {
  const [newest] = await keyring.dischargerKeyPairs()
  return { PublicKey: encodeBase64(newest.publicKey), Version: 3, RequestSummary: true }
}
