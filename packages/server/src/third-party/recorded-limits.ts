/**
 * The limits of a session's root, as stored in the column `limits` of developer sessions, for lists of
 * sessions. They decide nothing: the macaroons have their own limits, and a copy can be limited further.
 */
import { type Attenuations, UNRESTRICTED } from '@ratafia/macaroon/conditions'
import { isObject, jsonIn } from '../foreign-json.ts'

/** The length limit of the text. Longer limits are not recorded, because a list can show a thousand sessions. */
const MOST_CHARACTERS = 4_096

const KEYS = ['permissions', 'channels', 'packages', 'storeIds'] as const

/** Returns the limits as JSON, `{}` for none. Returns undefined for limits that are too long to be recorded. */
export function textOfLimits(limits: Attenuations): string | undefined {
  const text = JSON.stringify(
    Object.fromEntries(KEYS.flatMap((key) => (limits[key] === null ? [] : [[key, limits[key]]]))),
  )
  return text.length <= MOST_CHARACTERS ? text : undefined
}

/**
 * Parses recorded limits. Returns undefined if there are none, and for a string that is not from {@link textOfLimits}.
 */
export function limitsIn(text: string | undefined): Attenuations | undefined {
  const value = text === undefined || text.length > MOST_CHARACTERS ? undefined : jsonIn(text)
  if (!isObject(value)) return undefined
  const known = KEYS.filter((key) => value[key] !== undefined)
  const lists = known.flatMap((key) => (isList(value[key]) ? [[key, value[key]] as const] : []))
  if (lists.length !== Object.keys(value).length) return undefined
  return { ...UNRESTRICTED, ...Object.fromEntries(lists) }
}

const isList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
