/** Reads a filter of devices from the parameters of a list. */

import { isDeviceId } from '@ratafia/api'
import type { DeviceFilterSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { parsedAddress, plainAddress } from '../../addresses/address.ts'
import { type AddressRange, addressRange } from '../../addresses/address-classes.ts'
import { parseModelName } from '../../brands/models/model-policy.ts'
import { invalidField } from '../../errors.ts'
import type { ListFilter } from '../fleet/list-filter.ts'

/**
 * `instantIn` reads the instant of a field. `place` is the part of the request that contains the fields; errors name
 * it. Throws `invalid-field`.
 */
export function filterIn(
  query: Static<typeof DeviceFilterSchema>,
  instantIn: (field: string, text: string) => Date,
  place = 'query',
): ListFilter {
  const { name, model } = query
  const at = (field: `${'registered' | 'seen' | 'session'}_${'since' | 'until'}`) => {
    const text = query[field]
    return text === undefined ? undefined : instantIn(`${place}/${field}`, text)
  }
  return {
    serial: query.serial,
    serialPrefix: query.serial_prefix,
    deviceKeyId: query.key,
    keyPrefix: query.key_prefix,
    search: query.q,
    brands: query.brand,
    models: model && modelsNamed(model),
    statuses: query.status,
    quarantined: query.quarantined,
    origins: query.origin,
    decidedBy: query.decided_by,
    registeredSince: at('registered_since'),
    registeredUntil: at('registered_until'),
    seenSince: at('seen_since'),
    seenUntil: at('seen_until'),
    neverSeen: query.never_seen,
    sessionSince: at('session_since'),
    sessionUntil: at('session_until'),
    withoutSession: query.without_session,
    addresses: query.address?.map((text) => rangeIn(text, place)),
    pastAddress: query.past_address === undefined ? undefined : addressIn(query.past_address, place),
    evidence: query.evidence,
    evidenceKinds: query.evidence_kind,
    ...(name === undefined ? {} : named(name, query, place)),
  }
}

/** A name identifies one device, so the fields of other names are refused. Throws `invalid-field`. */
function named(name: string, query: Static<typeof DeviceFilterSchema>, place: string): ListFilter {
  const field = `${place}/name`
  const other = (['model', 'serial', 'key'] as const).find((one) => query[one] !== undefined)
  if (other !== undefined) {
    throw invalidField(`${field} names one device, so ${place}/${other} can't be given as well.`, { field })
  }
  return filterOfName(name, field)
}

/** Returns the address in the form that the register stores. Throws `invalid-field`. */
function addressIn(text: string, place: string): string {
  const parsed = parsedAddress(plainAddress(text))
  if (parsed) return parsed.toString()
  const field = `${place}/past_address`
  throw invalidField(`${field} is not an IP address.`, { field })
}

/** Throws `invalid-field`. */
function rangeIn(text: string, place: string): AddressRange {
  const range = addressRange(text)
  if (range) return range
  const field = `${place}/address`
  throw invalidField(`${field} is neither an address nor a block such as 198.51.100.0/24.`, { field })
}

/** Parses strings of the form BRAND/MODEL. */
export const modelsNamed = (texts: readonly string[]): ListFilter['models'] => texts.map(parseModelName)

const KEY = /^[A-Za-z0-9_-]{64}$/

/** Accepts the same names as `findDevice`. Throws `invalid-field`, about `field`, for other strings. */
function filterOfName(text: string, field: string): ListFilter {
  if (isDeviceId(text)) return { id: text }
  const [brandId, model, serial, more] = text.split('/')
  if (brandId && model && serial && more === undefined) return { models: [{ brandId, model }], serial }
  if (KEY.test(text)) return { deviceKeyId: text }
  throw invalidField(
    `${field} is neither the id of a device, nor BRAND/MODEL/SERIAL, nor the id of a device key.`,
    { field },
  )
}
