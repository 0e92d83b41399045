/** A discharge with the highest possible cost before it is refused. */
import { randomBytes } from 'node:crypto'
import { addFirstPartyCaveat, encodeBase64Url, encodeBinary, mint } from '@ratafia/macaroon'
import { encodeCaveatId, generateKeyPair } from '@ratafia/macaroon/bakery'

/** Returns the body of a refresh: correctly signed, with many caveats, for an empty caveat sealed to this key. */
export function badDischarge(thirdPartyPublicKey: Uint8Array): string {
  const rootKey = randomBytes(24)
  const condition = 'is-login-of-session {}'
  const firstParty = generateKeyPair()
  const id = encodeCaveatId({ version: 1, condition, rootKey, thirdPartyPublicKey, firstParty })
  const discharge = Array<string>(120)
    .fill('x'.repeat(300))
    .reduce(addFirstPartyCaveat, mint({ rootKey, id, version: 1, location: 'a' }))
  return JSON.stringify({ discharge_macaroon: encodeBase64Url(encodeBinary(discharge)) })
}
