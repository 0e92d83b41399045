/** Which devices the parameters of a list mean. */
import type { DeviceFilterSchema, DevicesQuerySchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { type AddressRange, addressRange } from '../../address-key.ts'
import { invalidField } from '../../errors.ts'
import { instantField } from '../../http/management/instant-field.ts'
import type { ListFilter } from '../fleet/list-filter.ts'
import { filterOfBeginning, filterOfName, modelsNamed } from '../fleet/named.ts'

/** The parameters that say which devices, and in which order. */
export type DeviceQuery = Omit<Static<typeof DevicesQuerySchema>, 'limit' | 'cursor'>

/**
 * `place` is the part of the request that they are in, as a refusal names it. Throws `RequestError` `invalid-field`.
 */
export function filterIn(query: Static<typeof DeviceFilterSchema>, place: string): ListFilter {
  const { name, q, model } = query
  const instantIn = (field: 'registered_since' | 'registered_until' | 'seen_since' | 'seen_until') => {
    const text = query[field]
    return text === undefined ? undefined : instantField(`${place}/${field}`, text)
  }
  return {
    serial: query.serial,
    serialPrefix: query.serial_prefix,
    deviceKeyId: query.key,
    keyPrefix: query.key_prefix,
    brands: query.brand,
    models: model && modelsNamed(model),
    statuses: query.status,
    quarantined: query.quarantined,
    origins: query.origin,
    decidedBy: query.decided_by,
    registeredSince: instantIn('registered_since'),
    registeredUntil: instantIn('registered_until'),
    seenSince: instantIn('seen_since'),
    seenUntil: instantIn('seen_until'),
    neverSeen: query.never_seen,
    addresses: query.address?.map((text) => rangeIn(text, place)),
    evidence: query.evidence,
    ...(q === undefined ? {} : filterOfBeginning(q)),
    ...(name === undefined ? {} : filterOfName(name)),
  }
}

/** Throws `RequestError` `invalid-field`. */
function rangeIn(text: string, place: string): AddressRange {
  const range = addressRange(text)
  if (range) return range
  const field = `${place}/address`
  throw invalidField(`${field} is neither an address nor a block such as 198.51.100.0/24.`, { field })
}
