/** What a refresh shows as its previous session: is it ours, and of this device? (contract/devices.md 1.3 and 1.6.) */
import { type Macaroon, MacaroonError, verify } from '@ratafia/macaroon'
import { ConditionError } from '@ratafia/macaroon/conditions'
import { RequestError } from '../../errors.ts'
import type { Keyring } from '../../keyring/keyring.ts'
import { type ClearedSession, clearSession } from './session-macaroon.ts'

/** `unreadable` says why, in a sentence. */
export type PreviousSession = { readonly macaroon: Macaroon } | { readonly unreadable: string }

export interface PreviousDeps {
  readonly keyring: Pick<Keyring, 'resolve'>
  /** `ignore` after the keys were lost: what this service cannot know is taken as if it was not there. */
  readonly unknownSessions: 'refuse' | 'ignore'
}

type Named = Pick<ClearedSession, 'brandId' | 'model' | 'serial' | 'deviceKeyId'>

/**
 * The session of this device that was shown; it may have expired. Undefined for one that nobody can know and that the
 * setting ignores. Throws {@link RequestError} `invalid-device-session`; always for one of ours that is another device's.
 */
export async function checkPrevious(
  previous: PreviousSession,
  device: Named,
  { keyring, unknownSessions }: PreviousDeps,
): Promise<ClearedSession | undefined> {
  const read = await clearedSession(previous, keyring)
  if ('unknown' in read) {
    if (unknownSessions === 'ignore') return undefined
    throw invalid(`${read.unknown} Ask the operator of this service.`)
  }
  if ('refused' in read) throw invalid(read.refused)
  const same = (['brandId', 'model', 'serial', 'deviceKeyId'] as const).every(
    (name) => read.cleared[name] === device[name],
  )
  if (!same) throw invalid('It is the session of another device.')
  return read.cleared
}

/** `unknown`: this service did not issue it. `refused`: it did, and all the same it does not hold. */
export type ReadSession =
  | { readonly cleared: ClearedSession }
  | { readonly unknown: string }
  | { readonly refused: string }

/** Verifies the signature and reads the caveats; whether its time has come or is over is not asked. */
export async function clearedSession(
  presented: PreviousSession,
  keyring: Pick<Keyring, 'resolve'>,
): Promise<ReadSession> {
  if ('unreadable' in presented) return { unknown: presented.unreadable }
  const { macaroon } = presented
  const minted = await keyring.resolve(macaroon.id)
  if (!minted) return { unknown: 'The device session was not issued by this service.' }
  try {
    const conditions = verify([macaroon], minted.rootKey)
    if (minted.kind !== 'device-session') return { refused: 'The macaroon is no device session.' }
    return { cleared: clearSession(conditions) }
  } catch (error) {
    if (error instanceof MacaroonError) {
      const why = `The device session does not verify: ${error.message}.`
      // Any other fault is found in one of ours, to which its holder has added something.
      return error.code === 'bad-signature' ? { unknown: why } : { refused: why }
    }
    if (error instanceof ConditionError) {
      return { refused: `The device session does not hold: ${error.message}.` }
    }
    throw error
  }
}

const invalid = (why: string): RequestError =>
  new RequestError('invalid-device-session', `X-Device-Authorization is not valid: ${why}`)
