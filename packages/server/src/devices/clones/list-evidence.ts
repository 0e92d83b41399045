/**
 * Evidence of clones, of all devices, a page at a time, in bounded work (contract/administration.md, A8). What belongs
 * to one device stands together: there are indexes of when evidence of a device was last seen, by brand too, so that
 * nobody looks at a row of a brand they may not see.
 */
import type { Authority } from '../../authority.ts'
import type { Stores } from '../../stores.ts'
import type { Device } from '../device.ts'
import type { ListFilter, ListPosition } from '../fleet/list-filter.ts'
import { listFleet } from '../fleet/list-fleet.ts'
import type { CloneEvidence, CloneEvidenceKind } from './clone-evidence.ts'

/** What fits all that is given; of a list it fits one. */
export interface EvidenceFilter extends Pick<ListFilter, 'brands' | 'models'> {
  readonly kinds?: readonly CloneEvidenceKind[] | undefined
  /** Last seen from then on. */
  readonly since?: Date | undefined
}

/** Of a device whose evidence is not listed to its end. */
interface EvidencePlace {
  readonly deviceId: string
  /** Milliseconds. */
  readonly lastSeenAt: number
  readonly kind: string
  readonly subject: string
}

/** The page after it begins behind `device`, and behind `within` if that is of the first one there. */
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
  /** Undefined: nothing follows. */
  readonly next: EvidencePosition | undefined
  /** Undefined: as many as were needed. Else devices were left, but no more were looked at. */
  readonly examined: number | undefined
}

/** Each has 100 rows at most (see `EVIDENCE_LIMIT`). */
const MOST_DEVICES = 100

/**
 * The device whose evidence was seen last comes first, with all of its own, last seen first. A device of which evidence
 * is seen between two pages moves to the front. Throws `RequestError` `permission-denied`.
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
  // Whoever comes behind a device without recent evidence has none either.
  if (!next || !isRecent(next)) return { evidence, next: undefined, examined: undefined }
  return { evidence, next: { device: next, within: undefined }, examined }
}

const fits = ({ kind, lastSeenAt }: CloneEvidence, { kinds, since }: EvidenceFilter): boolean =>
  (kinds?.includes(kind) ?? true) && (since === undefined || lastSeenAt >= since)

const placeOf = ({ deviceId, lastSeenAt, kind, subject }: CloneEvidence): EvidencePlace => ({
  ...{ deviceId, kind, subject },
  lastSeenAt: lastSeenAt.getTime(),
})

/** Negative if the first comes first; both are of one device. */
function compare(one: EvidencePlace, other: EvidencePlace): number {
  if (one.lastSeenAt !== other.lastSeenAt) return other.lastSeenAt - one.lastSeenAt
  const [a, b] = [one, other].map(({ kind, subject }) => `${kind} ${subject}`)
  return String(a) < String(b) ? -1 : Number(a !== b)
}
