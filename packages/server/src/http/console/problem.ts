/** The problems of a form that the user can correct in it (contract/administration.md, C9). */
import { invalidField, problemsIn, RequestError, TooManyRequests } from '../../errors.ts'
import { visibleText } from '../../text/visible-text.ts'
import type { Problem } from '../../web/console/form.ts'

/** The form was created for another session, or is incomplete. */
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

/** Returns an empty list for an error that is not about the form. `names`: its fields, by the operation's names. */
export function problemsOf(error: unknown, names: Readonly<Record<string, string>> = {}): readonly Problem[] {
  // A client over the limit of all requests is refused before the form is read: this limit is about its contents.
  if (error instanceof FormRefused || error instanceof TooManyRequests) {
    return [{ field: undefined, message: error.message }]
  }
  if (!(error instanceof RequestError) || !MENDED_IN_FORM.has(error.code)) return []
  return problemsIn(error).map(({ field: place, message }) => {
    const field = error.code === 'package-not-found' ? 'packages' : fieldAt(place)
    return {
      field: field !== undefined && Object.hasOwn(names, field) ? names[field] : field,
      // The message may quote another user's text, which can have several lines.
      message: visibleText(withoutPlace(message).replaceAll('\n', ' '), MOST_CHARACTERS),
    }
  })
}

/** The API writes `body/expires` or `body/entries/0/serial`; the form has a field of the last name. */
const PLACE = /^(?:body|query)\//
const PLACE_IN_MESSAGE = /^(?:body|query)\/(?:\S+\/(?=[a-z_]+ ))?/

/** Rewrites `query/model/0 is not …` as `model is not …`. */
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

/** Returns undefined for a record that does not exist (any more); otherwise throws the error. Use it with `catch`. */
export function orAbsent(error: unknown): undefined {
  if (error instanceof RequestError && error.code === 'no-such-record') return
  throw error
}

const isNoAccount = (error: unknown): error is RequestError =>
  error instanceof RequestError && error.code === 'no-such-record' && error.extra['kind'] === 'account'

/** Returns `nothing` if the account does not exist; otherwise throws the error. Use it with `catch`. */
export const noneWithoutAccount =
  <Answer>(nothing: Answer) =>
  (error: unknown): Answer => {
    if (isNoAccount(error)) return nothing
    throw error
  }

/** Throws a refusal that names the form's field. Use it with `catch`. */
export function asFieldOfAccount(error: unknown): never {
  throw isNoAccount(error) ? invalidField(error.message, { field: 'account' }) : error
}
