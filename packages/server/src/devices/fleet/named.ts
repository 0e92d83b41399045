/** Reads the names of models and devices as filters of lists. */
import { isDeviceId } from '@ratafia/api'
import { parseModelName } from '../../brands/models/model-policy.ts'
import { invalidField } from '../../errors.ts'
import type { ListFilter } from './list-filter.ts'

/** Parses strings of the form BRAND/MODEL. */
export const modelsNamed = (texts: readonly string[]): ListFilter['models'] => texts.map(parseModelName)

const KEY = /^[A-Za-z0-9_-]{64}$/

/** Accepts the same names as `findDevice`. Throws `RequestError` `invalid-field`, about `field`, for other strings. */
export function filterOfName(text: string, field: string): ListFilter {
  if (isDeviceId(text)) return { id: text }
  const [brandId, model, serial, more] = text.split('/')
  if (brandId && model && serial && more === undefined) return { models: [{ brandId, model }], serial }
  if (KEY.test(text)) return { deviceKeyId: text }
  throw invalidField(
    `${field} is neither the id of a device, nor BRAND/MODEL/SERIAL, nor the id of a device key.`,
    { field },
  )
}
