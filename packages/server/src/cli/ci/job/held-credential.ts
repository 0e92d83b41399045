/** Reads an exported credential as its holder can: its session, expiry and form in requests. Revokes its session. */
import { decodeBase64, decodeBinary, MacaroonError, type UnverifiedSlice } from '@ratafia/macaroon'
import { formatMacaroonsHeader } from '@ratafia/macaroon/bakery'
import { earliestTimeBefore } from '@ratafia/macaroon/conditions'
import { storedCredential } from '../../../http/credentials/stored.ts'
import { ServiceRefusal } from '../../context.ts'
import { ask, refusalIn, withJson } from '../../login/ask.ts'
import { conditionsOf, sessionIn, valueIn } from '../../login/read-credential.ts'
import { throwIfBusy } from './retry.ts'

export interface HeldCredential {
  /** The macaroons as requests carry them: a discharge is bound to its root. */
  readonly slice: UnverifiedSlice
  readonly sessionId: string
  /** When the credential expires; undefined if it has no expiry. */
  readonly end: Date | undefined
}

/**
 * Reads every form that `ratafia tokens create` and `ratafia ci login` write, even as a line `NAME=…`. `where`: the
 * source of the text, as the beginning of a sentence. Throws {@link ServiceRefusal}, which does not repeat the text.
 */
export function heldCredential(text: string, where: string): HeldCredential {
  const slice = sliceIn(valueIn(text))
  if (slice === undefined) {
    throw new ServiceRefusal(`${where} does not contain a credential that this command can read.`)
  }
  const conditions = conditionsOf(slice[0])
  const sessionId = sessionIn(conditions)
  if (sessionId === undefined) {
    throw new ServiceRefusal(
      `${where} contains a credential without a session, which its holder cannot revoke. It expires by itself.`,
    )
  }
  return { slice, sessionId, end: endOf(conditions) }
}

function sliceIn(text: string): UnverifiedSlice | undefined {
  const inside = Buffer.from(text, 'base64').toString('utf8')
  const ways = [() => storedCredential(text), () => binary(text), () => binary(inside)]
  for (const read of ways) {
    try {
      const slice = read()
      if (slice) return slice
    } catch (error) {
      if (!(error instanceof MacaroonError)) throw error
    }
  }
  return undefined
}

const binary = (text: string): UnverifiedSlice => decodeBinary(decodeBase64(text))

function endOf(conditions: readonly string[]): Date | undefined {
  try {
    return earliestTimeBefore(conditions)
  } catch {
    return undefined
  }
}

/** Revokes the session with the credential itself. `patience`: see `ask`. Throws `ServiceRefusal`, `ServiceAway`. */
export async function revokeSession(
  url: string,
  { slice, sessionId }: HeldCredential,
  patience: number,
): Promise<void> {
  const headers = { macaroons: formatMacaroonsHeader(slice) }
  const question = { ...withJson({ 'session-id': sessionId }, headers), patience }
  const answer = await ask(`${url}/api/v2/tokens/revoke`, question)
  throwIfBusy(answer)
  if (answer.status !== 200) throw refusalIn(answer)
}
