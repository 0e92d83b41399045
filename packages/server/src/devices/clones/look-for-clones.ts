/** Checks whether a session that is being opened suggests a clone of the device, which then goes into quarantine. */
import type { DeviceSessionId } from '@ratafia/api'
import type { Recording } from '../../change.ts'
import type { TransactionStores } from '../../stores.ts'
import type { Caller, Device, DeviceRef } from '../device.ts'
import type { ComparedSession } from '../sessions/device-session.ts'
import type { CloneEvidenceKind, Sighting } from './clone-evidence.ts'

interface Opening {
  readonly device: DeviceRef
  /** The session being refreshed; undefined for a new chain. */
  readonly previous: ComparedSession | undefined
  /** The other sessions that `DeviceSessionStore.findHolder` returns, before the new session is stored. */
  readonly sessions: readonly ComparedSession[]
  /** The store that the session is for. */
  readonly store: string | null
  readonly at: Date
  readonly caller: Caller
}

/** A fork this young is innocent: an answer was lost, or two threads of one snapd refreshed alternately. */
const FORK_PATIENCE_MS = 10 * 60_000

/** Only reads, and only if another chain seems to have followed this one. */
export async function lookForClones(
  opening: Opening,
  stores: TransactionStores,
): Promise<readonly Sighting[]> {
  const { previous, sessions, store, at, caller } = opening
  const seen = (kind: CloneEvidenceKind, other: ComparedSession): Sighting => ({
    kind,
    subject: other.chainId,
    details: {
      address: caller.address,
      'user-agent': caller.userAgent,
      'other-session': other.id,
      'other-opened-at': other.openedAt.toISOString(),
      'other-address': other.caller.address,
      'other-user-agent': other.caller.userAgent,
    },
  })
  if (!previous) {
    const other = newestOf(sessions.filter(({ expiresAt }) => expiresAt > at))
    return other ? [seen('second-chain', other)] : []
  }
  const head = headOf(previous.chainId, sessions) ?? previous
  const sightings: Sighting[] = []
  if (head.id !== previous.id && at.getTime() - head.openedAt.getTime() > FORK_PATIENCE_MS) {
    sightings.push(seen('forked-chain', head))
  }
  const other = await livingNewerChain(opening, previous.chainId, stores)
  // A device that changes to a different revision of its model, with a different store, opens a session there while it
  // still uses its current one, and keeps the current one if the change fails (contract/devices.md 1.3).
  if (other) sightings.push(seen(other.store === store ? 'two-chains' : 'second-chain', other))
  return sightings
}

/**
 * Returns the head of a chain that began after this one and was used since this evidence was last recorded. So each
 * switch between the two counts once, and a released device doesn't return to quarantine because of old evidence.
 */
async function livingNewerChain(
  { device, sessions }: Opening,
  chainId: DeviceSessionId,
  { clones }: TransactionStores,
): Promise<ComparedSession | undefined> {
  // Ids sort by creation time.
  const newest = sessions.map((session) => session.chainId).reduce((a, b) => (a > b ? a : b), chainId)
  if (newest === chainId) return undefined
  const other = headOf(newest, sessions)
  const before = other && (await clones.find(device, 'two-chains', newest))
  return before && other.openedAt <= before.lastSeenAt ? undefined : other
}

const headOf = (
  chainId: DeviceSessionId,
  sessions: readonly ComparedSession[],
): ComparedSession | undefined => newestOf(sessions.filter((session) => session.chainId === chainId))

const newestOf = (sessions: readonly ComparedSession[]): ComparedSession | undefined =>
  [...sessions].sort((a, b) => b.openedAt.getTime() - a.openedAt.getTime() || (a.id < b.id ? 1 : -1))[0]

/** Only two chains in use prove that two devices have the key: the other kinds of evidence can be innocent. */
const isProof = ({ kind }: Sighting): boolean => kind === 'two-chains'

/** If so, the policy of the device's model decides. */
export const isProven = (sightings: readonly Sighting[]): boolean => sightings.some(isProof)

/** Runs in a transaction. Changes nothing if the device is already in quarantine. */
export async function quarantine(
  device: Device,
  { sightings, at }: { readonly sightings: readonly Sighting[]; readonly at: Date },
  { devices, record }: TransactionStores & Recording,
): Promise<void> {
  if (!(await devices.setQuarantine(device, at))) return
  const chains = sightings.filter(isProof).map(({ subject }) => subject)
  await record({ action: 'device.quarantine', subject: device.id, details: { 'other-chains': chains } })
}
