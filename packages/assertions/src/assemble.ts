import type { AssertionOf, UnverifiedAssertion } from './assertion.ts'
import { AssertionError } from './errors.ts'
import { count, digest, faulty, inType, integer, text } from './headers/header-checks.ts'
import type { Headers } from './headers/header-value.ts'
import { quote, utf8 } from './text.ts'
import { isTypeName, TYPES, type TypeName } from './types/registry.ts'
import type { TypeRow } from './types/row.ts'

/** The parts of an assertion, with its headers parsed. */
export interface Parts {
  readonly headers: Headers
  readonly body: Uint8Array
  readonly content: Uint8Array
  readonly signature: Uint8Array
}

export interface DecodeOptions {
  /**
   * Whether to check all rules of the type, and not only those that its fields need. True by default. Pass false for
   * assertions that were accepted earlier, when fewer rules were known.
   */
  readonly rules?: boolean
}

/**
 * Checks the headers that every type needs, then those of this type. If there are several problems, the order of the
 * checks decides which is reported: lengths, common headers, primary key, the type's own headers, its rules.
 */
export function assemble(
  { headers, body, content, signature }: Parts,
  { rules = true }: DecodeOptions,
): UnverifiedAssertion {
  const shared = readCommon(headers, body)
  if (!hasText(signature)) throw new AssertionError('missing-signature', 'the signature is empty')
  const { type, authorityId, signKeyId } = shared
  const row: TypeRow<unknown> = TYPES[type]
  const source = { headers, body, authorityId, signKeyId }
  const own = inType(type, () => {
    const primaryKey = row.primaryKey.map((name) => primaryKeyHeader(headers, name))
    const fields = row.read(source)
    if (rules) row.rules?.(source)
    return { primaryKey, fields }
  })
  const assertion: AssertionOf<TypeName> = {
    type,
    format: shared.format,
    revision: shared.revision,
    authorityId: row.authority ? authorityId : undefined,
    signKeyId,
    primaryKey: own.primaryKey,
    headers,
    // The row belongs to the type, so these are the type's fields.
    fields: own.fields as AssertionOf<TypeName>['fields'],
    body,
    content,
    signature,
  }
  return assertion as UnverifiedAssertion
}

function readCommon(headers: Headers, body: Uint8Array) {
  checkBodyLength(headers, body)
  utf8(body, 'the body of the assertion')
  const type = text(headers, 'type')
  if (!isTypeName(type)) throw new AssertionError('unknown-type', `unknown type of assertion: ${quote(type)}`)
  return inType(type, () => ({
    type,
    format: count(headers, 'format'),
    revision: count(headers, 'revision'),
    authorityId: authorityOf(headers, type),
    signKeyId: digest(headers, SIGN_KEY),
  }))
}

const SIGN_KEY = 'sign-key-sha3-384'

function checkBodyLength(headers: Headers, body: Uint8Array): void {
  const declared = integer(headers, 'body-length')
  if (declared !== body.length) {
    const fault = `the body has ${body.length} bytes, but header "body-length" says ${declared}`
    throw new AssertionError('body-length-mismatch', fault)
  }
}

function authorityOf(headers: Headers, type: TypeName): string {
  if (TYPES[type].authority) return text(headers, 'authority-id')
  if (!headers.has('authority-id')) return ''
  throw faulty('authority-id', 'is not allowed in this type', 'unexpected-header')
}

function primaryKeyHeader(headers: Headers, name: string): string {
  const value = text(headers, name)
  if (value.includes('/'))
    throw faulty(name, `is part of the primary key, so it cannot contain "/": ${quote(value)}`)
  return value
}

function hasText(signature: Uint8Array): boolean {
  return signature.some((byte) => byte !== 0x0a)
}
