/** Revokes the session of an exported credential, with the credential itself. */
import type { UnverifiedSlice } from '@ratafia/macaroon'
import { formatMacaroonsHeader } from '@ratafia/macaroon/bakery'
import { ask, refusalIn, withJson } from '../../login/ask.ts'
import { throwIfBusy } from './retry.ts'

interface Revocation {
  readonly url: string
  readonly slice: UnverifiedSlice
  readonly sessionId: string
  readonly patience: number
}

/** Revokes the session. Throws `ServiceRefusal`, `ServiceAway`. */
export async function revokeSession({ url, slice, sessionId, patience }: Revocation): Promise<void> {
  const headers = { macaroons: formatMacaroonsHeader(slice) }
  const answer = await ask(`${url}/api/v2/tokens/revoke`, {
    ...withJson({ 'session-id': sessionId }, headers),
    patience,
  })
  throwIfBusy(answer)
  if (answer.status !== 200) throw refusalIn(answer)
}
