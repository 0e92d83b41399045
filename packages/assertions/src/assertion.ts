import { AssertionError } from './errors.ts'
import type { Headers } from './headers/header-value.ts'
import type { FieldsOf, TypeName } from './types/registry.ts'

/** An assertion of one type. */
export interface AssertionOf<Type extends TypeName> {
  readonly type: Type
  /** The version of the type's rules it was made with. A newer one than known decodes; trust refuses it. */
  readonly format: number
  /** How often it was replaced; 0 is the first. */
  readonly revision: number
  /** In whose name it is signed; undefined for types that are signed by the key they are about. */
  readonly authorityId: string | undefined
  /** Id of the key that signed it, as the assertion itself claims. */
  readonly signKeyId: string
  /** Values of the primary key's headers, in the order of the type. */
  readonly primaryKey: readonly string[]
  /** All headers as written, those of the type and unknown ones. */
  readonly headers: Headers
  /** The headers of the type, checked and read. */
  readonly fields: FieldsOf<Type>
  /** UTF-8; empty when there is none. */
  readonly body: Uint8Array
  /** What is signed: headers, and the body with the blank line before it. */
  readonly content: Uint8Array
  /** The text of the signature, with its newlines as received. */
  readonly signature: Uint8Array
}

/**
 * An assertion that was decoded: its form is right and it has the headers of its type, but who signed it
 * is not checked. `a.type === 'serial'` narrows it.
 */
export type UnverifiedAssertion<Type extends TypeName = TypeName> = { [T in Type]: AssertionOf<T> }[Type]

declare const trusted: unique symbol

/** What `verifyTrust` returns: the same assertion, whose chain ended at a trusted root when it was checked. */
export type TrustedAssertion<Type extends TypeName = TypeName> = UnverifiedAssertion<Type> & {
  readonly [trusted]: true
}

/** Throws {@link AssertionError} `unexpected-type` unless it is of the type; keeps whether it is trusted. */
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
