/** The caveat of a root macaroon that the identity service discharges. */
import type { Macaroon } from '@ratafia/macaroon'
import type { DischargeNeed } from '@ratafia/macaroon/bakery'

/** Returns the caveat. Throws `TypeError` for a macaroon that is not a root macaroon of this service. */
export function needOf({ caveats }: Macaroon): DischargeNeed {
  const caveat = caveats.find(({ verificationId }) => verificationId !== undefined)
  if (!caveat) throw new TypeError('The root macaroon has no third-party caveat')
  // Our caveats have at most bakery version 2, so the id contains the whole caveat.
  return { id: caveat.id, location: caveat.location, caveat: undefined }
}
