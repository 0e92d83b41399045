/** Evidence of clones in the management API: HTTP in, operation, HTTP out. */
import { type CloneEvidenceQuerySchema, MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { instantField } from '../../http/management/instant-text.ts'
import type { AddManagementRoute } from '../../http/management/management-route.ts'
import { cursorOf, positionIn } from '../../http/management/pages.ts'
import type { Stores } from '../../stores.ts'
import { type EvidenceFilter, type EvidencePosition, listCloneEvidence } from '../clones/list-evidence.ts'
import { modelsNamed } from './device-query.ts'
import { cloneEvidenceRecord } from './device-records.ts'

type EvidenceQuery = Static<typeof CloneEvidenceQuerySchema>

export function evidenceManagementRoutes(add: AddManagementRoute, stores: Stores): void {
  add(MANAGEMENT_OPERATIONS.cloneEvidence, async ({ authority, query }) => {
    const { limit = 100 } = query
    const listing = { authority, filter: filterIn(query), after: placeIn(query), limit }
    const { evidence, next, examined } = await listCloneEvidence(listing, stores)
    return {
      evidence: evidence.map(cloneEvidenceRecord),
      next: next ? cursorAt(next, query) : null,
      ...(examined === undefined ? {} : { examined }),
    }
  })
}

const filterIn = ({ kind, brand, model, since }: EvidenceQuery): EvidenceFilter => ({
  ...{ kinds: kind, brands: brand },
  models: model && modelsNamed(model),
  since: since === undefined ? undefined : instantField('query/since', since),
})

/** Absent parts become empty strings. */
const cursorAt = ({ device, within }: EvidencePosition, query: EvidenceQuery): string | null =>
  cursorOf(
    [
      ...(device ? [String(device.key), device.id] : ['', '']),
      ...(within
        ? [within.deviceId, String(within.lastSeenAt), within.kind, within.subject]
        : ['', '', '', '']),
    ],
    query,
  )

/** An invalid number starts from the beginning. Throws `invalid-field`. */
function placeIn(query: EvidenceQuery): EvidencePosition | undefined {
  const parts = positionIn(query, 6)
  if (!parts) return undefined
  const [key = '', id = '', deviceId = '', lastSeenAt = '', kind = '', subject = ''] = parts
  return {
    device: isNumber(key) ? { key: Number(key), id } : undefined,
    within: isNumber(lastSeenAt) ? { deviceId, lastSeenAt: Number(lastSeenAt), kind, subject } : undefined,
  }
}

const isNumber = (text: string): boolean => /^[0-9]{1,15}$/.test(text)
