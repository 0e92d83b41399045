/**
 * Lists evidence of clones on all devices, a page at a time, in bounded work (contract/administration.md,
 * A8). Evidence about one device is listed together. Indexes sort devices by when evidence was last seen,
 * also for each brand, so that no query reads rows of brands the caller can't see.
 */
import type { Authority } from '../../authority.ts'
import type { Stores } from '../../stores.ts'
import type { Device } from '../device.ts'
import type { ListFilter, ListPosition } from '../fleet/list-filter.ts'
import { listFleet } from '../fleet/list-fleet.ts'
import type { CloneEvidence, CloneEvidenceKind } from './clone-evidence.ts'

/** Evidence has to match every given field; for a list, one of its values. */
export interface EvidenceFilter extends Pick<ListFilter, 'brands' | 'models'> {
  readonly kinds?: readonly CloneEvidenceKind[] | undefined
  /** Includes evidence last seen at or after this instant. */
  readonly since?: Date | undefined
}

/** The last evidence shown about a device, if there is more about it. */
interface EvidencePlace {
  readonly deviceId: string
  /** When it was last seen, in milliseconds. */
  readonly lastSeenAt: number
  readonly kind: string
  readonly subject: string
}

/** The next page begins after `device`, and after `within` if that belongs to the first device there. */
export interface EvidencePosition {
  readonly device: ListPosition | undefined
  readonly within: EvidencePlace | undefined
}

interface EvidenceListing {
  readonly authority: Authority
  readonly filter: EvidenceFilter
  readonly after: EvidencePosition | undefined
  readonly limit: number
}

export interface EvidenceOf {
  readonly device: Device
  readonly evidence: CloneEvidence
}

interface EvidencePage {
  readonly evidence: readonly EvidenceOf[]
  /** The next page's position; undefined on the last page. */
  readonly next: EvidencePosition | undefined
  /** The number of devices examined if the listing stopped early, with more remaining; undefined otherwise. */
  readonly examined: number | undefined
}

/** Each device has at most 100 rows (see `EVIDENCE_LIMIT`). */
const MOST_DEVICES = 100

/**
 * Lists the device whose evidence was seen last first, with all its evidence, last seen first. A device that gets new
 * evidence between two pages moves to the front. Throws `permission-denied`.
 */
export async function listCloneEvidence(
  { authority, filter, after, limit }: EvidenceListing,
  stores: Stores,
): Promise<EvidencePage> {
  const { brands, models, since } = filter
  const fleet = await listFleet(
    {
      ...{ authority, filter: { brands, models }, sort: '-evidence', after: after?.device },
      limit: Math.min(limit, MOST_DEVICES),
    },
    stores,
  )
  const isRecent = ({ key }: ListPosition) => since === undefined || Number(key) >= since.getTime()
  const devices = fleet.devices.filter(({ position }) => isRecent(position))
  const rows = await stores.clones.evidenceOfMany(devices.map(({ device }) => device))
  const byDevice = Map.groupBy(
    rows.filter((row) => fits(row, filter)),
    ({ deviceId }) => deviceId,
  )
  const evidence: EvidenceOf[] = []
  let done = after?.device
  for (const { device, position } of devices) {
    const from = after?.within?.deviceId === device.id ? after.within : undefined
    const own = (byDevice.get(device.id) ?? [])
      .filter((row) => from === undefined || compare(placeOf(row), from) > 0)
      .sort((one, other) => compare(placeOf(one), placeOf(other)))
    const room = limit - evidence.length
    const shown = own.slice(0, room)
    evidence.push(...shown.map((row) => ({ device, evidence: row })))
    if (own.length > room) {
      const last = shown.at(-1)
      return { evidence, next: { device: done, within: last && placeOf(last) }, examined: undefined }
    }
    done = position
  }
  const { next, examined } = fleet
  // Devices after one without recent evidence have no recent evidence either.
  if (!next || !isRecent(next)) return { evidence, next: undefined, examined: undefined }
  return { evidence, next: { device: next, within: undefined }, examined }
}

const fits = ({ kind, lastSeenAt }: CloneEvidence, { kinds, since }: EvidenceFilter): boolean =>
  (kinds?.includes(kind) ?? true) && (since === undefined || lastSeenAt >= since)

const placeOf = ({ deviceId, lastSeenAt, kind, subject }: CloneEvidence): EvidencePlace => ({
  ...{ deviceId, kind, subject },
  lastSeenAt: lastSeenAt.getTime(),
})

/** Compares two places of one device. Negative if `one` comes first. */
function compare(one: EvidencePlace, other: EvidencePlace): number {
  if (one.lastSeenAt !== other.lastSeenAt) return other.lastSeenAt - one.lastSeenAt
  const [a, b] = [one, other].map(({ kind, subject }) => `${kind} ${subject}`)
  return String(a) < String(b) ? -1 : Number(a !== b)
}
