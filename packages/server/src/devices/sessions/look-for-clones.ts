/** Does a session that is being opened suggest a clone of the device? */
import type { DeviceId, DeviceSessionId } from '@ratafia/api'
import type { Caller, Device } from '../device.ts'
import type { CloneEvidenceKind, Sighting } from './clone-evidence.ts'
import type { CloneStore } from './clone-store.ts'
import type { DeviceSession } from './device-session.ts'
import type { DeviceSessionStore } from './device-session-store.ts'

interface Opening {
  readonly device: Pick<Device, 'id'>
  /** The session being refreshed; undefined for a new chain. */
  readonly previous: DeviceSession | undefined
  /** Which the session is for. */
  readonly store: string | null
  readonly at: Date
  readonly caller: Caller
}

interface LookDeps {
  readonly sessions: DeviceSessionStore
  readonly clones: CloneStore
}

/** A fork this young is innocent: an answer was lost, or two threads of one snapd refreshed one after the other. */
const FORK_PATIENCE_MS = 10 * 60_000

/** Only reads. Call it before the session is stored. */
export async function lookForClones(opening: Opening, deps: LookDeps): Promise<readonly Sighting[]> {
  const { device, previous, store, at, caller } = opening
  const seen = (kind: CloneEvidenceKind, other: DeviceSession): Sighting => ({
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
    const other = await deps.sessions.newestAlive(device.id, at)
    return other ? [seen('second-chain', other)] : []
  }
  const head = (await deps.sessions.headOf(previous.chainId)) ?? previous
  const sightings: Sighting[] = []
  if (head.id !== previous.id && at.getTime() - head.openedAt.getTime() > FORK_PATIENCE_MS) {
    sightings.push(seen('forked-chain', head))
  }
  const other = await livingNewerChain(device.id, previous.chainId, deps)
  // A device that becomes another revision of its model, with another store, opens a session there while it still uses
  // the one it has, and goes on with that if the change fails (contract/devices.md 1.3).
  if (other) sightings.push(seen(other.store === store ? 'two-chains' : 'second-chain', other))
  return sightings
}

/**
 * The head of a chain that began after this one and was used since this evidence was last recorded. So each turn of the
 * two counts once, and a released device does not return to quarantine for what was seen before.
 */
async function livingNewerChain(
  deviceId: DeviceId,
  chainId: DeviceSessionId,
  { sessions, clones }: LookDeps,
): Promise<DeviceSession | undefined> {
  const newest = await sessions.newestChain(deviceId)
  if (newest === undefined || newest <= chainId) return undefined
  const other = await sessions.headOf(newest)
  const before = other && (await clones.find(deviceId, 'two-chains', newest))
  return before && other.openedAt <= before.lastSeenAt ? undefined : other
}
