import { encodeBase64Url } from '../base64.ts'
import { MacaroonError } from '../errors.ts'
import type { Limits } from '../limits.ts'
import type { Caveat, Macaroon } from '../macaroon.ts'
import { utf8 } from '../text.ts'
import { bytesField, caveatFields, malformedJson, textField } from './json-fields.ts'

/** An id in version 2 JSON: `i` if it is printable text, `i64` otherwise. */
export type IdJson =
  | { readonly i: string; readonly i64?: never }
  | { readonly i64: string; readonly i?: never }

/** A macaroon in version 2 JSON. Binary fields are URL-safe base64 without padding. */
export type MacaroonJson2 = IdJson & {
  /** The version. Readers in Rust require it; all others ignore it or assume 2 without it. */
  readonly v: 2
  readonly c: readonly (IdJson & { readonly v64?: string; readonly l?: string })[]
  readonly l?: string
  readonly s64: string
}

export function readJson2(object: Readonly<Record<string, unknown>>, limits: Limits): Macaroon {
  const version = object['v']
  if (version !== undefined && version !== 2 && version !== '2') {
    throw new MacaroonError('unsupported-version', 'The "v" of a macaroon in JSON must be 2 or missing')
  }
  const id = bytesField(object, 'i', 'i64', limits)
  const signature = bytesField(object, 's', 's64', limits)
  if (id === undefined) throw malformedJson('it has no "i" or "i64"')
  if (signature?.length !== 32) throw malformedJson('its signature ("s" or "s64") is not 32 bytes')
  return {
    version: 2,
    location: textField(object, 'l', limits) ?? '',
    id,
    caveats: caveatFields(object, 'c', limits).map((fields) => readCaveat(fields, limits)),
    signature,
  }
}

function readCaveat(fields: Readonly<Record<string, unknown>>, limits: Limits): Caveat {
  // Writers leave out empty values. The checkers refuse an empty condition, so accept it here.
  const id = bytesField(fields, 'i', 'i64', limits) ?? Buffer.alloc(0)
  const verificationId = bytesField(fields, 'v', 'v64', limits)
  const location = textField(fields, 'l', limits) ?? ''
  if (verificationId === undefined || verificationId.length === 0)
    return { id, location: '', verificationId: undefined }
  return { id, location, verificationId }
}

export function writeJson2(macaroon: Macaroon): MacaroonJson2 {
  return {
    v: 2,
    c: macaroon.caveats.map(({ id, location, verificationId }) =>
      verificationId === undefined
        ? idJson(id)
        : { ...idJson(id), v64: encodeBase64Url(verificationId), ...locationJson(location) },
    ),
    ...locationJson(macaroon.location),
    ...idJson(macaroon.id),
    s64: encodeBase64Url(macaroon.signature),
  }
}

// Control characters, unassigned ones and line separators are valid in JSON, but some readers and databases lose them.
const NOT_PRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u

function idJson(id: Uint8Array): IdJson {
  const text = utf8(id)
  return text === undefined || NOT_PRINTABLE.test(text) ? { i64: encodeBase64Url(id) } : { i: text }
}

function locationJson(location: string): { l?: string } {
  return location === '' ? {} : { l: location }
}
