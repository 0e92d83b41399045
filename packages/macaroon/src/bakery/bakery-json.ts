import { decodeBase64, encodeBase64Url } from '../base64.ts'
import { decodeJson, encodeJson, type MacaroonJson } from '../formats/json.ts'
import { DEFAULT_LIMITS, type Limits } from '../limits.ts'
import type { BakeryMacaroon } from './bakery-macaroon.ts'
import { MAX_PAYLOAD_BYTES } from './caveat-id/caveat-id.ts'
import { BakeryError } from './errors.ts'
import { formatNamespace, type Namespace, parseNamespace, STANDARD_NAMESPACE } from './namespace.ts'

/** A version 3 bakery macaroon in JSON: the macaroon, payloads by caveat id (both in base64), and the namespace. */
export interface BakeryMacaroonJson3 {
  readonly m: MacaroonJson
  readonly v: 3
  readonly cdata?: Readonly<Record<string, string>>
  readonly ns: string
}

/** A bakery macaroon as an object for `JSON.stringify`. Below version 3 it is the bare macaroon. */
export type BakeryMacaroonJson = MacaroonJson | BakeryMacaroonJson3

/** Writes a bakery macaroon. Throws the errors of `encodeJson`. */
export function encodeBakeryMacaroon(bakery: BakeryMacaroon): BakeryMacaroonJson {
  const json = encodeJson(bakery.macaroon)
  if (bakery.version < 3) return json
  const cdata = Object.fromEntries(
    [...bakery.caveatData].map(([id, payload]) => [id, encodeBase64Url(payload)] as const),
  )
  return {
    m: json,
    v: 3,
    ...(bakery.caveatData.size === 0 ? {} : { cdata }),
    ns: formatNamespace(bakery.namespace),
  }
}

/**
 * Reads a bakery macaroon from parsed JSON: the version 3 wrapper, or a bare macaroon of version 1 or 2. Throws
 * {@link BakeryError} `malformed`, `unsupported-version` or `limit-exceeded`, and the errors of `decodeJson`.
 */
export function decodeBakeryMacaroon(value: unknown, limits: Limits = DEFAULT_LIMITS): BakeryMacaroon {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'm')) {
    const macaroon = decodeJson(value, limits)
    return { macaroon, version: macaroon.version, namespace: STANDARD_NAMESPACE, caveatData: new Map() }
  }
  const { m, v, ns, cdata } = value as Readonly<Record<string, unknown>>
  if (v !== 3) throw new BakeryError('unsupported-version', 'A bakery macaroon with an "m" must have "v" 3')
  const macaroon = decodeJson(m, limits)
  if (macaroon.version !== 2)
    throw new BakeryError('malformed', 'The macaroon in a bakery macaroon is not version 2')
  return {
    macaroon,
    version: 3,
    namespace: readNamespace(ns, limits),
    caveatData: readCaveatData(cdata, limits),
  }
}

function readNamespace(ns: unknown, limits: Limits): Namespace {
  if (ns === undefined || ns === null) return STANDARD_NAMESPACE
  if (typeof ns !== 'string') throw new BakeryError('malformed', '"ns" of a bakery macaroon is not text')
  if (ns.length > limits.idBytes)
    throw new BakeryError('limit-exceeded', '"ns" of a bakery macaroon is too long')
  return parseNamespace(ns)
}

function readCaveatData(cdata: unknown, limits: Limits): ReadonlyMap<string, Uint8Array> {
  const data = new Map<string, Uint8Array>()
  if (cdata === undefined || cdata === null) return data
  if (typeof cdata !== 'object')
    throw new BakeryError('malformed', '"cdata" of a bakery macaroon is not an object')
  const entries: [string, unknown][] = Object.entries(cdata)
  if (entries.length > limits.caveats) throw new BakeryError('limit-exceeded', '"cdata" has too many entries')
  for (const [id, payload] of entries) {
    if (typeof payload !== 'string') throw new BakeryError('malformed', 'A payload in "cdata" is not text')
    if (id.length > 2 * limits.idBytes || payload.length > 2 * MAX_PAYLOAD_BYTES) {
      throw new BakeryError('limit-exceeded', 'An entry of "cdata" is too long')
    }
    data.set(encodeBase64Url(decodeBase64(id)), decodeBase64(payload))
  }
  return data
}
