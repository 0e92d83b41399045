/** What was wrong with a form, as far as the person can mend it there (contract/administration.md, C9). */
import { RequestError } from '../../errors.ts'
import type { Problem } from '../../web/console/form.ts'

/** The form was made for another session, or is not whole. */
export class FormRefused extends Error {
  override readonly name = 'FormRefused'
}

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

/** Undefined for everything that is not about the form. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof FormRefused) return { field: undefined, message: error.message }
  if (!(error instanceof RequestError) || !MENDED_IN_FORM.has(error.code)) return undefined
  return { field: fieldOf(error), message: error.message.replace(PLACE_IN_MESSAGE, '') }
}

/** The API says `body/expires` or `body/entries/0/serial`; the form has a field of the last name. */
const PLACE = /^(?:body|query)\//
const PLACE_IN_MESSAGE = /^(?:body|query)\/(?:\S+\/(?=[a-z_]+ ))?/

function fieldOf({ code, extra: { field } }: RequestError): string | undefined {
  if (code === 'package-not-found') return 'packages'
  if (typeof field !== 'string') return undefined
  const name = field
    .replace(PLACE, '')
    .split('/')
    .findLast((part) => !/^\d*$/.test(part))
  return name === 'body' || name === 'query' ? undefined : name
}
