/** What was wrong with a form, as far as the person can mend it there (contract/administration.md, C9). */
import { problemsIn, RequestError, TooManyRequests } from '../../errors.ts'
import { visibleText } from '../../text/visible-text.ts'
import type { Problem } from '../../web/console/form.ts'

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

/** None for everything that is not about the form. `names`: of its fields, by those that the operation has. */
export function problemsOf(error: unknown, names: Readonly<Record<string, string>> = {}): readonly Problem[] {
  // Whoever is over the limit of all requests is refused before the form is read: this is about what it asks for.
  if (error instanceof FormRefused || error instanceof TooManyRequests) {
    return [{ field: undefined, message: error.message }]
  }
  if (!(error instanceof RequestError) || !MENDED_IN_FORM.has(error.code)) return []
  return problemsIn(error).map(({ field: place, message }) => {
    const field = error.code === 'package-not-found' ? 'packages' : fieldAt(place)
    return {
      field: field !== undefined && Object.hasOwn(names, field) ? names[field] : field,
      // It may quote what somebody else has written, on several lines.
      message: visibleText(withoutPlace(message).replaceAll('\n', ' '), MOST_CHARACTERS),
    }
  })
}

/** The API says `body/expires` or `body/entries/0/serial`; the form has a field of the last name. */
const PLACE = /^(?:body|query)\//
const PLACE_IN_MESSAGE = /^(?:body|query)\/(?:\S+\/(?=[a-z_]+ ))?/

/** For people: `query/model/0 is not …` as `model is not …`. */
const withoutPlace = (message: string): string =>
  message.replace(PLACE_IN_MESSAGE, '').replace(/^([a-z_]+)\/\d+ /, '$1 ')

function fieldAt(place: string | undefined): string | undefined {
  if (place === undefined) return undefined
  const name = place
    .replace(PLACE, '')
    .split('/')
    .findLast((part) => !/^\d*$/.test(part))
  return name === 'body' || name === 'query' ? undefined : name
}
