import type { AssertionOf, UnverifiedAssertion } from './assertion.ts'
import { AssertionError } from './errors.ts'
import { count, digest, inType, integer, text } from './headers/header-checks.ts'
import type { Headers } from './headers/header-value.ts'
import { quote, utf8 } from './text.ts'
import { isTypeName, TYPES, type TypeName } from './types/registry.ts'
import type { TypeRow } from './types/row.ts'

/** An assertion taken apart, its headers parsed. */
export interface Parts {
  readonly headers: Headers
  readonly body: Uint8Array
  readonly content: Uint8Array
  readonly signature: Uint8Array
}

/**
 * Checks what every type has to have, then what this type has to have. The order decides which of several
 * faults is reported: lengths, the common headers, the primary key, the type's own.
 */
export function assemble({ headers, body, content, signature }: Parts): UnverifiedAssertion {
  const shared = readCommon(headers, body)
  if (!hasText(signature)) throw new AssertionError('malformed', 'empty assertion signature')
  const { type, authorityId, signKeyId } = shared
  const row: TypeRow<unknown> = TYPES[type]
  const own = inType(`assertion ${type}`, () => ({
    primaryKey: row.primaryKey.map((name) => primaryKeyHeader(headers, name)),
    fields: row.read({ headers, body, authorityId, signKeyId }),
  }))
  const assertion: AssertionOf<TypeName> = {
    type,
    format: shared.format,
    revision: shared.revision,
    authorityId: row.authority ? authorityId : undefined,
    signKeyId,
    primaryKey: own.primaryKey,
    headers,
    // The row is that of the type, so these are the type's fields.
    fields: own.fields as AssertionOf<TypeName>['fields'],
    body,
    content,
    signature,
  }
  return assertion as UnverifiedAssertion
}

function readCommon(headers: Headers, body: Uint8Array) {
  checkBodyLength(headers, body)
  utf8(body, 'assertion body')
  const type = common(() => text(headers, 'type'))
  if (!isTypeName(type)) throw new AssertionError('unknown-type', `unknown assertion type: ${quote(type)}`)
  const format = common(() => count(headers, 'format'))
  const revision = common(() => count(headers, 'revision'))
  const authorityId = authorityOf(headers, type)
  return { type, format, revision, authorityId, signKeyId: common(() => digest(headers, SIGN_KEY)) }
}

const SIGN_KEY = 'sign-key-sha3-384'

/** Checks of headers that every type has. */
function common<Value>(check: () => Value): Value {
  return inType('assertion', check)
}

function checkBodyLength(headers: Headers, body: Uint8Array): void {
  const declared = common(() => integer(headers, 'body-length'))
  if (declared !== body.length) {
    const rule = "assertion body length and declared body-length don't match"
    throw new AssertionError('malformed', `${rule}: ${body.length} != ${declared}`)
  }
}

function authorityOf(headers: Headers, type: TypeName): string {
  if (TYPES[type].authority) return common(() => text(headers, 'authority-id'))
  if (!headers.has('authority-id')) return ''
  throw new AssertionError('malformed-header', `${quote(type)} assertion cannot have authority-id set`)
}

function primaryKeyHeader(headers: Headers, name: string): string {
  const value = text(headers, name)
  if (value.includes('/')) throw faultyKey(name)
  return value
}

function faultyKey(name: string): AssertionError {
  return new AssertionError('malformed-header', `"${name}" primary key header cannot contain '/'`)
}

function hasText(signature: Uint8Array): boolean {
  return signature.some((byte) => byte !== 0x0a)
}
