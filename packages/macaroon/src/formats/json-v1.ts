import { decodeBase64, encodeBase64Url } from '../base64.ts'
import { MacaroonError } from '../errors.ts'
import type { Limits } from '../limits.ts'
import type { Caveat, Macaroon } from '../macaroon.ts'
import { utf8 } from '../text.ts'
import { caveatFields, malformedJson, textField } from './json-fields.ts'

/** A macaroon in version 1 JSON: ids are text, the signature is hex, and a `vid` is base64. */
export interface MacaroonJson1 {
  readonly caveats: readonly { readonly cid: string; readonly vid?: string; readonly cl?: string }[]
  readonly location: string
  readonly identifier: string
  readonly signature: string
}

export function readJson1(object: Readonly<Record<string, unknown>>, limits: Limits): Macaroon {
  const id = textField(object, 'identifier', limits)
  const signature = textField(object, 'signature', limits)
  if (id === undefined) throw malformedJson('it has no "identifier"')
  if (signature === undefined || !/^[0-9a-fA-F]{64}$/.test(signature)) {
    throw malformedJson('its "signature" is not 32 bytes in hex')
  }
  return {
    version: 1,
    location: textField(object, 'location', limits) ?? '',
    id: Buffer.from(id),
    caveats: caveatFields(object, 'caveats', limits).map((fields) => readCaveat(fields, limits)),
    signature: Buffer.from(signature, 'hex'),
  }
}

function readCaveat(fields: Readonly<Record<string, unknown>>, limits: Limits): Caveat {
  const id = textField(fields, 'cid', limits)
  if (id === undefined) throw malformedJson('a caveat has no "cid"')
  const vid = textField(fields, 'vid', limits)
  const location = textField(fields, 'cl', limits) ?? ''
  if (vid === undefined || vid === '') return { id: Buffer.from(id), location: '', verificationId: undefined }
  return { id: Buffer.from(id), location, verificationId: decodeBase64(vid) }
}

export function writeJson1(macaroon: Macaroon): MacaroonJson1 {
  return {
    caveats: macaroon.caveats.map(({ id, location, verificationId }) =>
      verificationId === undefined
        ? { cid: text(id) }
        : { cid: text(id), vid: encodeBase64Url(verificationId), cl: location },
    ),
    location: macaroon.location,
    identifier: text(macaroon.id),
    signature: Buffer.from(macaroon.signature).toString('hex'),
  }
}

function text(id: Uint8Array): string {
  const decoded = utf8(id)
  if (decoded === undefined) {
    throw new MacaroonError(
      'malformed',
      'Version 1 JSON cannot have an id that is not UTF-8; write it in binary',
    )
  }
  return decoded
}
