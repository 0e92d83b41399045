/**
 * Shared parts of the management API's wire schemas. Names are in snake_case, times RFC 3339 in UTC, absent
 * values null.
 */
import type { TSchema } from 'typebox'
import { BRAND_ID, CURSOR, INSTANT, NAME_OR_ID } from '../../patterns.ts'
import { orNull } from '../../tokens.ts'
import { Type } from '../../type.ts'
import { ROLE_NAMES } from '../roles.ts'

export const exactly = { additionalProperties: false }

export const InstantSchema = Type.String({
  pattern: INSTANT.pattern,
  description: 'A date, which is its midnight in UTC, or RFC 3339 with a zone',
})
export const Text = Type.String()
export const RoleSchema = Type.Enum([...ROLE_NAMES], { type: 'string', title: 'Role' })
export const BrandSchema = Type.String({
  pattern: BRAND_ID.pattern,
  maxLength: 64,
  description: 'The account id of a brand',
})

/** A username, an id, or the author of a decision. No other text is looked up. */
export const nameOrId = (description: string) => Type.String({ pattern: NAME_OR_ID.pattern, description })

/** In a page of a list that can stop early. */
export const EXAMINED = Type.Optional(
  Type.Integer({
    description: 'Set on a short page: this many rows were read, and there are more. Continue with `next`.',
  }),
)

/** One page of a list; `next` is the `cursor` of the next page. */
export const page = <const Name extends string, T extends TSchema>(title: string, name: Name, item: T) =>
  Type.Object({ ...named(name, Type.Array(item)), next: orNull(Text) }, { title, ...exactly })

/** The cast is needed because TypeScript reads a computed property's name as any string. */
const named = <const Name extends string, T>(name: Name, value: T) => ({ [name]: value }) as Record<Name, T>

export const LIMIT = { least: 1, most: 1000, standard: 100 } as const

/** The parameters of every list. */
export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: LIMIT.least,
      maximum: LIMIT.most,
      description: `The maximum number of records to return; ${LIMIT.standard} if absent`,
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      pattern: CURSOR.pattern,
      description: '`next` of the previous page; all other parameters must be the same',
    }),
  ),
}

/** The parameters of a list without filters. */
export const PageQuerySchema = Type.Object(pageQuery, exactly)

export const several = <T extends TSchema>(item: T, description?: string) =>
  Type.Array(item, { minItems: 1, maxItems: 64, ...(description === undefined ? {} : { description }) })

/** A list without pages. */
export const listOf = <const Name extends string, T extends TSchema>(title: string, name: Name, item: T) =>
  Type.Object(named(name, Type.Array(item)), { title, ...exactly })
