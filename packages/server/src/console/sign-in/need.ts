/** The caveat of a root that the identity service discharges. */
import type { Macaroon } from '@ratafia/macaroon'
import type { DischargeNeed } from '@ratafia/macaroon/bakery'

/** Throws `TypeError` for a macaroon that is no root of ours. */
export function needOf({ caveats }: Macaroon): DischargeNeed {
  const caveat = caveats.find(({ verificationId }) => verificationId !== undefined)
  if (!caveat) throw new TypeError('a root has a third-party caveat')
  // Ours is of bakery version 2 at most: its id has the whole caveat.
  return { id: caveat.id, location: caveat.location, caveat: undefined }
}
