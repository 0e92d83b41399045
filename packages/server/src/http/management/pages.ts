/**
 * The cursor of a list: where the previous page ended, and a digest of the other parameters, so that a caller
 * does not continue in a different list by mistake (contract/administration.md, A7). It is neither secret nor
 * signed: a changed cursor begins elsewhere in a list that the caller can read.
 */
import { hash } from 'node:crypto'
import { invalidField } from '../../errors.ts'
import { jsonIn } from '../../foreign-json.ts'

/** Returns the cursor; null without a position. `position` has the values that the list is sorted by. */
export const cursorOf = (position: readonly string[] | undefined, parameters: object): string | null =>
  position ? Buffer.from(JSON.stringify([digestOf(parameters), ...position])).toString('base64url') : null

/**
 * Returns the position in a cursor of `parts` strings; undefined without a cursor. Throws {@link
 * RequestError} `invalid-field` for a cursor of a different list.
 */
export function positionIn(
  { cursor, ...parameters }: { readonly cursor?: string | undefined },
  parts: number,
): readonly string[] | undefined {
  if (cursor === undefined) return undefined
  const value = jsonIn(Buffer.from(cursor, 'base64url').toString('utf8'))
  const texts: readonly unknown[] = Array.isArray(value) ? value : []
  const [digest, ...position] = texts.filter((text) => typeof text === 'string')
  // Our own strings never have these, and no database accepts them.
  const isClean = position.every((text) => !/[\0\p{Cs}]/u.test(text))
  if (digest === digestOf(parameters) && position.length === parts && texts.length === parts + 1 && isClean)
    return position
  throw invalidField('query/cursor is not from a list with these parameters. Begin with the first page.', {
    field: 'query/cursor',
  })
}

/** Returns the instant in a cursor; undefined if the text is invalid. */
export function instantOf(text: string): Date | undefined {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? undefined : at
}

/** Returns a digest of the parameters that decide which records are listed, and in which order. */
function digestOf(parameters: object): string {
  const { limit: _, cursor: __, ...rest } = parameters as Readonly<Record<string, unknown>>
  const sorted = Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1))
  return hash('sha256', JSON.stringify(sorted), 'base64url').slice(0, 11)
}
