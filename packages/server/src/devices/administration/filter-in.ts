import type { DeviceFilterSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { instantField } from '../../http/management/instant-field.ts'
import type { ListFilter } from '../fleet/list-filter.ts'
import { filterOfBeginning, filterOfName, modelsNamed } from '../fleet/named.ts'

/**
 * The filter that a query, or a part of a body, asks for; `place` is that part, as a refusal names it. Throws
 * {@link RequestError} `invalid-field`.
 */
export function filterIn(asked: Static<typeof DeviceFilterSchema>, place: string): ListFilter {
  const { name, q, model, registered_since: since, registered_until: until } = asked
  const instant = (field: string, text: string | undefined) =>
    text === undefined ? undefined : instantField(`${place}/${field}`, text)
  return {
    serial: asked.serial,
    serialPrefix: asked.serial_prefix,
    deviceKeyId: asked.key,
    keyPrefix: asked.key_prefix,
    brands: asked.brand,
    models: model && modelsNamed(model),
    statuses: asked.status,
    quarantined: asked.quarantined,
    origins: asked.origin,
    decidedBy: asked.decided_by,
    registeredSince: instant('registered_since', since),
    registeredUntil: instant('registered_until', until),
    ...(q === undefined ? {} : filterOfBeginning(q)),
    ...(name === undefined ? {} : filterOfName(name)),
  }
}
