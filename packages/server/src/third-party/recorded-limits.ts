/**
 * What the root of a session was limited to, as the column `limits` of a developer session keeps it: for people who look
 * at a list of sessions. Nothing is decided by it. The macaroons carry their own limits, and a copy may have fewer.
 */
import { type Attenuations, UNRESTRICTED } from '@ratafia/macaroon/conditions'
import { isObject, jsonIn } from '../foreign-json.ts'

/** The most characters of the text. A list may show a thousand sessions, so longer ones are not recorded. */
const MOST_CHARACTERS = 4_096

const KEYS = ['permissions', 'channels', 'packages', 'storeIds'] as const

/** As JSON without what is not limited: `{}` for no limit at all. Undefined for limits that are too long to be kept. */
export function textOfLimits(limits: Attenuations): string | undefined {
  const text = JSON.stringify(
    Object.fromEntries(KEYS.flatMap((key) => (limits[key] === null ? [] : [[key, limits[key]]]))),
  )
  return text.length <= MOST_CHARACTERS ? text : undefined
}

/** Undefined for none, and for a text that {@link textOfLimits} has not written. */
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
