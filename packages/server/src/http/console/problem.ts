/** What was wrong with a form, as far as the person can mend it there (contract/administration.md, C9). */
import { RequestError, TooManyRequests } from '../../errors.ts'
import type { Problem } from '../../web/console/form.ts'
import { visibleText } from '../../web/visible-text.ts'

/** The form was made for another session, or is not whole. */
export class FormRefused extends Error {
  override readonly name = 'FormRefused'
}

const MOST_CHARACTERS = 1_000

const MENDED_IN_FORM: ReadonlySet<string> = new Set([
  'invalid-field',
  'invalid-request',
  'package-not-found',
  'limit-exceeded',
  'state-conflict',
  'already-exists',
  'still-referenced',
  'last-operator',
  'selection-changed',
  'version-mismatch',
  'devices-too-many',
  'idempotency-key-busy',
])

/** Undefined for everything that is not about the form. `names`: of its fields, by those that the operation has. */
export function problemOf(error: unknown, names: Readonly<Record<string, string>> = {}): Problem | undefined {
  // Whoever is over the limit of all requests is refused before the form is read: this is about what it asks for.
  if (error instanceof FormRefused || error instanceof TooManyRequests) {
    return { field: undefined, message: error.message }
  }
  if (!(error instanceof RequestError) || !MENDED_IN_FORM.has(error.code)) return undefined
  const field = fieldOf(error)
  return {
    field: field !== undefined && Object.hasOwn(names, field) ? names[field] : field,
    // It may quote what somebody else has written.
    message: visibleText(inOneLine(withoutPlace(error.message)), MOST_CHARACTERS),
  }
}

/** Where several things are wrong, each has a line of its own. */
const inOneLine = (message: string): string => message.replaceAll('\n', ' ')

/** The API says `body/expires` or `body/entries/0/serial`; the form has a field of the last name. */
const PLACE = /^(?:body|query)\//
const PLACE_IN_MESSAGE = /^(?:body|query)\/(?:\S+\/(?=[a-z_]+ ))?/

/** For people: `query/model/0 is not …` as `model is not …`. */
export const withoutPlace = (message: string): string =>
  message.replace(PLACE_IN_MESSAGE, '').replace(/^([a-z_]+)\/\d+ /, '$1 ')

function fieldOf({ code, extra: { field } }: RequestError): string | undefined {
  if (code === 'package-not-found') return 'packages'
  if (typeof field !== 'string') return undefined
  const name = field
    .replace(PLACE, '')
    .split('/')
    .findLast((part) => !/^\d*$/.test(part))
  return name === 'body' || name === 'query' ? undefined : name
}
