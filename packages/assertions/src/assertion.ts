import { AssertionError } from './errors.ts'
import type { Headers } from './headers/header-value.ts'
import type { FieldsOf, TypeName } from './types/registry.ts'

/** An assertion of one type. */
export interface AssertionOf<Type extends TypeName> {
  readonly type: Type
  /** The version of the type's rules. An unknown, newer format decodes, but `verifyTrust` refuses it. */
  readonly format: number
  /** How many times the assertion was replaced; 0 for the first revision. */
  readonly revision: number
  /** The account in whose name it is signed; undefined for types that are signed with the key they contain. */
  readonly authorityId: string | undefined
  /** The id of the signing key, as the assertion itself claims. */
  readonly signKeyId: string
  /** The values of the primary key's headers, in the type's order. */
  readonly primaryKey: readonly string[]
  /** All headers as written, including unknown ones. */
  readonly headers: Headers
  /** The values of the type's headers, checked and parsed. */
  readonly fields: FieldsOf<Type>
  /** The body in UTF-8; empty if there is none. */
  readonly body: Uint8Array
  /** The signed bytes: the headers, and the body with the blank line before it. */
  readonly content: Uint8Array
  /** The text of the signature, with its newlines as received. */
  readonly signature: Uint8Array
}

/**
 * A decoded assertion: its form is right and it has the headers of its type, but its signature is unchecked.
 * `a.type === 'serial'` narrows it.
 */
export type UnverifiedAssertion<Type extends TypeName = TypeName> = { [T in Type]: AssertionOf<T> }[Type]

declare const trusted: unique symbol

/** An assertion that `verifyTrust` returned: its chain led to a trusted root when it was checked. */
export type TrustedAssertion<Type extends TypeName = TypeName> = UnverifiedAssertion<Type> & {
  readonly [trusted]: true
}

/** Narrows an assertion to a type and keeps its trust. Throws {@link AssertionError} `unexpected-type`. */
export function expectType<Type extends TypeName>(
  assertion: TrustedAssertion,
  type: Type,
): TrustedAssertion<Type>
export function expectType<Type extends TypeName>(
  assertion: UnverifiedAssertion,
  type: Type,
): UnverifiedAssertion<Type>
export function expectType(assertion: UnverifiedAssertion, type: TypeName): UnverifiedAssertion {
  if (assertion.type !== type) {
    throw new AssertionError('unexpected-type', `expected a ${type} assertion, not ${assertion.type}`)
  }
  return assertion
}
