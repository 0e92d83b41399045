/** What the routes of brands and models have in common: which model it is, what was typed about it, how many devices. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import type { ConsoleAsked } from '../../http/console/asked.ts'
import type { Fields } from '../../http/console/fields.ts'
import type { DeviceCounts } from '../../web/console/brands/devices-by-status.ts'
import { type Model, SETTINGS } from '../../web/console/models/model-says.ts'
import type { Policy } from '../../web/console/models/policy-fields.ts'

/** Throws what the operation throws: `no-such-record` for a model that the person may not see. */
export const modelOf = ({ call, parameters }: Pick<ConsoleAsked, 'call' | 'parameters'>): Promise<Model> =>
  call(MANAGEMENT_OPERATIONS.model, { parameters })

/** As many as one request names. */
const BRANDS_AT_ONCE = 64

/** How many devices these brands have: a list may have more of them than one request names. */
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

/** The settings that were typed. The schema of the operation refuses a text that is no choice, as it does over HTTP. */
export const policyTyped = (fields: Fields): Partial<Policy> =>
  Object.fromEntries(
    [...SETTINGS, 'serials'].flatMap((name) => {
      const value = fields.get(name)
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** Browsers send the lines of a form with CR LF; assertions have LF alone. */
export const pasted = (fields: Fields, name: string): string =>
  (fields.get(name) ?? '').replaceAll('\r\n', '\n')
