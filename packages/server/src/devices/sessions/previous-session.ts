/** Is the session that a device wants to refresh ours, and its own? (contract/devices.md 1.3 and 1.6.) */
import { RequestError } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import { type PresentedSession, readSession } from './presented-session.ts'
import type { ClearedSession } from './session-macaroon.ts'

export interface PreviousDeps extends Stores {
  /** `ignore` after the keys were lost: a session that this service cannot know counts as absent. */
  readonly unknownSessions: 'refuse' | 'ignore'
}

/**
 * The session that this device presents; it may have expired. Undefined if it is unknown and the setting ignores that.
 * Throws {@link RequestError} `invalid-device-session`; always for a session of ours that belongs to another device.
 */
export async function checkPrevious(
  presented: PresentedSession,
  device: Pick<ClearedSession, 'brandId' | 'model' | 'serial' | 'deviceKeyId'>,
  { keyring, unknownSessions }: PreviousDeps,
): Promise<ClearedSession | undefined> {
  const read = await readSession(presented, keyring)
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

const invalid = (why: string): RequestError =>
  new RequestError('invalid-device-session', `X-Device-Authorization is not valid: ${why}`)
