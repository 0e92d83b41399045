/** Reads the new-token form, as far as it is filled in. */
import { PERMISSIONS } from '@ratafia/api'
import { type FieldProblem, invalidField, invalidFields, noting } from '../../../errors.ts'
import { words } from '../../words/en.ts'
import type { Limits } from '../limits.ts'

interface Fields {
  get(name: string): string | undefined
  all(name: string): readonly string[]
  has(name: string): boolean
}

export interface DraftToken {
  readonly description: string
  readonly limits: Limits
  readonly until: Date
}

const text = words.tokens.newPage.problems

/**
 * Returns the token that the form asks for. Throws {@link RequestError} `invalid-field` with every field that is
 * missing or wrong, so that a forgotten field never means no limit.
 */
export function draftTokenIn(fields: Fields, { now }: { readonly now: Date }): DraftToken {
  const problems: FieldProblem[] = []
  const read = noting(problems)
  const description = read(() => fields.get('description') ?? refuse('description'))
  const limits = read(() => limitsIn(fields))
  const until = read(() => endIn(fields, now))
  if (description === undefined || !limits || !until) throw invalidFields(problems)
  return { description, limits, until }
}

function refuse(field: keyof typeof text): never {
  throw wrong(field)
}

/** Returns the limits in the form. Throws {@link RequestError} `invalid-field`. */
export function limitsIn(fields: Fields): Limits {
  const problems: FieldProblem[] = []
  const chosen = (name: 'permissions' | 'packages' | 'channels') => {
    if (fields.get(`all_${name}`) === 'on') return null
    const items = itemsOf(fields, name)
    if (items.length === 0) problems.push({ field: name, message: text[name] })
    return items
  }
  const stores = itemsOf(fields, 'stores')
  const limits = {
    permissions: chosen('permissions'),
    packages: chosen('packages'),
    channels: chosen('channels'),
    store_ids: stores.length === 0 ? null : stores,
  }
  if (problems.length > 0) throw invalidFields(problems)
  return limits
}

export interface DraftBefore {
  /** The limits of the token that the new one is modelled on. */
  readonly limits: Limits | undefined
  readonly life: string
}

/** Returns the fields of a form that was not sent yet: those in the URL, or else their initial values. */
export function filledIn(fields: Fields, { limits, life }: DraftBefore): Fields {
  const begin: ReadonlyMap<string, readonly string[]> = new Map([
    ['life', [life]],
    ...(limits
      ? [
          ...beginWith('permissions', limits.permissions),
          ...beginWith('packages', limits.packages),
          ...beginWith('channels', limits.channels),
          ['stores', limits.store_ids ?? []] as const,
        ]
      : []),
  ])
  const all = (name: string) => {
    const given = fields.all(name)
    const values = given.length > 0 ? given : (begin.get(name) ?? [])
    // Other permissions have no checkbox.
    return name === 'permissions'
      ? values.filter((value) => PERMISSIONS.some((one) => one === value))
      : values
  }
  return { all, get: (name) => all(name)[0], has: (name) => fields.has(name) }
}

const beginWith = (
  name: string,
  values: readonly string[] | null,
): (readonly [string, readonly string[]])[] =>
  values === null ? [[`all_${name}`, ['on']]] : [[name, values]]

/** Returns the items in a field, which are separated by commas or spaces. */
export const itemsOf = (fields: Pick<Fields, 'all'>, name: string): readonly string[] => [
  ...new Set(fields.all(name).flatMap((value) => value.split(/[\s,]+/).filter((item) => item !== ''))),
]

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * Returns the time when the token expires: after `life` in days or in hours (`12h`), or at 00:00 UTC on a
 * day. Throws {@link RequestError} `invalid-field`.
 */
export function endIn(fields: Pick<Fields, 'get'>, now: Date): Date {
  const life = fields.get('life')
  const [, length, unit] = /^([1-9][0-9]{0,3})([dh]?)$/.exec(life ?? '') ?? []
  if (length !== undefined) {
    return new Date(now.getTime() + Number(length) * (unit === 'h' ? HOUR_MS : DAY_MS))
  }
  if (life !== 'date') throw wrong('life')
  const date = fields.get('date') ?? ''
  const at = new Date(`${date}T00:00:00Z`)
  // Date reads 31 February as another day.
  const isDay = !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 10) === date
  if (isDay && at > now) return at
  throw wrong('date')
}

const wrong = (field: keyof typeof text) => invalidField(text[field], { field })
