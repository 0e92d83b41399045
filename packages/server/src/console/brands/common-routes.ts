/** What the routes of a model have in common: which one it is, and what was typed about it. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import type { ConsoleAsked } from '../../http/console/asked.ts'
import type { Fields } from '../../http/console/fields.ts'
import { type Model, SETTINGS } from '../../web/console/models/model-says.ts'
import type { Policy } from '../../web/console/models/policy-fields.ts'

/** Throws what the operation throws: `no-such-record` for a model that the person may not see. */
export const modelOf = ({ call, parameters }: Pick<ConsoleAsked, 'call' | 'parameters'>): Promise<Model> =>
  call(MANAGEMENT_OPERATIONS.model, { parameters })

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
