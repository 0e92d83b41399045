/** `GET discharge/info`: with which key caveats for this identity service are sealed (contract/bakery.md 3.1). */
import type { DischargeInfo } from '@ratafia/api'
import { encodeBase64 } from '@ratafia/macaroon'
import type { IdentityDependencies } from '../dependencies.ts'

export async function dischargeInfo({
  keyring,
}: Pick<IdentityDependencies, 'keyring'>): Promise<DischargeInfo> {
  const [newest] = await keyring.dischargerKeyPairs()
  return { PublicKey: encodeBase64(newest.publicKey), Version: 3, RequestSummary: true }
}
