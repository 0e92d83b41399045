/** Functions that the brand and model routes share. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import type { ConsoleAsked } from '../../http/console/asked.ts'
import type { Fields } from '../../http/console/fields.ts'
import type { DeviceCounts } from '../../web/console/brands/devices-by-status.ts'
import { type Model, SETTINGS } from '../../web/console/models/model-says.ts'
import type { Policy } from '../../web/console/models/policy-page.ts'

/** Returns the model. Throws the operation's errors, such as `no-such-record` for a model that the user may not see. */
export const modelOf = ({ call, parameters }: Pick<ConsoleAsked, 'call' | 'parameters'>): Promise<Model> =>
  call(MANAGEMENT_OPERATIONS.model, { parameters })

/** The number of brands in one request. */
const BRANDS_AT_ONCE = 64

/** Returns the numbers of devices of these brands, by several requests if there are many brands. */
export async function deviceCountsOf(
  brands: readonly string[],
  call: ConsoleAsked['call'],
): Promise<Pick<DeviceCounts, 'counts'>> {
  const counts: DeviceCounts['counts'][number][] = []
  for (let first = 0; first < brands.length; first += BRANDS_AT_ONCE) {
    const query = { brand: brands.slice(first, first + BRANDS_AT_ONCE) }
    counts.push(...(await call(MANAGEMENT_OPERATIONS.deviceCounts, { query })).counts)
  }
  return { counts }
}

/** Returns the settings in the form. The operation's schema refuses an invalid choice, as it does over HTTP. */
export const policyTyped = (fields: Fields): Partial<Policy> =>
  Object.fromEntries(
    [...SETTINGS, 'serials'].flatMap((name) => {
      const value = fields.get(name)
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** Returns a pasted text with LF, because browsers send lines with CR LF, and assertions have LF only. */
export const pasted = (fields: Fields, name: string): string =>
  (fields.get(name) ?? '').replaceAll('\r\n', '\n')
