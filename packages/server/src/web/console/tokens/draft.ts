/** What the form of a new token asks for, as far as it is filled. */
import { invalidField } from '../../../errors.ts'
import { words } from '../../words/en.ts'

/** Null: not limited. */
export interface DraftLimits {
  readonly permissions: readonly string[] | null
  readonly channels: readonly string[] | null
  readonly packages: readonly string[] | null
  readonly store_ids: readonly string[] | null
}

interface Fields {
  get(name: string): string | undefined
  all(name: string): readonly string[]
  has(name: string): boolean
}

export interface DraftToken {
  readonly description: string
  readonly limits: DraftLimits
  readonly until: Date
}

const text = words.tokens.newPage.problems

/**
 * Throws {@link RequestError} `invalid-field` with the field that is missing or wrong: no limit is left out by
 * forgetting one.
 */
export function draftTokenIn(fields: Fields, { now }: { readonly now: Date }): DraftToken {
  const description = fields.get('description')
  if (description === undefined) throw wrong('description')
  return { description, limits: limitsIn(fields), until: endIn(fields, now) }
}

/** Throws {@link RequestError} `invalid-field`. */
export function limitsIn(fields: Fields): DraftLimits {
  const chosen = (name: 'permissions' | 'packages' | 'channels') => {
    if (fields.get(`all_${name}`) === 'on') return null
    const items = itemsOf(fields, name)
    if (items.length === 0) throw wrong(name)
    return items
  }
  const stores = itemsOf(fields, 'stores')
  return {
    permissions: chosen('permissions'),
    packages: chosen('packages'),
    channels: chosen('channels'),
    store_ids: stores.length === 0 ? null : stores,
  }
}

/** Texts of a field, with commas or spaces between. */
export const itemsOf = (fields: Pick<Fields, 'all'>, name: string): readonly string[] => [
  ...new Set(fields.all(name).flatMap((value) => value.split(/[\s,]+/).filter((item) => item !== ''))),
]

const DAY_MS = 86_400_000

/** Of `life` in days, or of a day whose midnight in UTC it is. Throws {@link RequestError} `invalid-field`. */
export function endIn(fields: Pick<Fields, 'get'>, now: Date): Date {
  const life = fields.get('life')
  const [, days] = /^([1-9][0-9]{0,3})d?$/.exec(life ?? '') ?? []
  if (days !== undefined) return new Date(now.getTime() + Number(days) * DAY_MS)
  if (life !== 'date') throw wrong('life')
  const date = fields.get('date') ?? ''
  const at = new Date(`${date}T00:00:00Z`)
  // Date takes 31 February for another day.
  const isDay = !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 10) === date
  if (isDay && at > now) return at
  throw wrong('date')
}

const wrong = (field: keyof typeof text) => invalidField(text[field], { field })
