/** Fetches an issuer's keys by its discovery document (OpenID Connect Discovery 1.0; contract/oidc.md, A17 to A19). */
import { createHash } from 'node:crypto'
import { invalidField, quote, type RequestError } from '../../../errors.ts'
import { objectDocumentIn } from '../../../foreign-json.ts'
import { type LeftOut, leftOutText, readKeySet } from '../../id-token/issuer-keys.ts'
import type { Issuer } from '../issuer.ts'
import type { StoredKeys } from './issuer-keys-store.ts'

/**
 * Returns the text at a URL. Throws {@link RequestError} `invalid-field` if the URL may not be fetched for this issuer,
 * and `Unavailable` if there is no usable answer.
 */
export type FetchDocument = (
  url: string,
  from: { readonly issuer: string; readonly privateAddresses: readonly string[] },
) => Promise<string>

declare module '../../../stores.ts' {
  interface Stores {
    /** Fetches a document that an issuer of ID tokens publishes. */
    readonly fetchDocument: FetchDocument
  }
}

export interface FetchedKeys extends StoredKeys {
  /** The URL of the keys, from the discovery document. */
  readonly jwksUri: string
}

const LONGEST_URL = 2_000
const MOST_ALGORITHMS = 100

/** Throws the errors of {@link FetchDocument}, and `invalid-field` for documents that violate the specification. */
export async function fetchKeys(
  { url, settings }: Pick<Issuer, 'url' | 'settings'>,
  fetchDocument: FetchDocument,
): Promise<FetchedKeys> {
  const from = { issuer: url, privateAddresses: settings.privateAddresses }
  const where = `${url.replace(/\/$/, '')}/.well-known/openid-configuration`
  const document = readDocument(await fetchDocument(where, from), where)
  // Otherwise the keys of another issuer could sign for this one (Discovery 4.3).
  if (document['issuer'] !== url) {
    throw refused(where, `names the issuer ${shown(document['issuer'])} instead of ${quote(url)}`)
  }
  const jwksUri = document['jwks_uri']
  if (typeof jwksUri !== 'string' || jwksUri.length > LONGEST_URL) {
    throw refused(where, 'has no jwks_uri, the URL of the keys')
  }
  const algorithms = algorithmsOf(document['id_token_signing_alg_values_supported'], where)
  return { ...storedKeys(await fetchDocument(jwksUri, from), algorithms), jwksUri }
}

/** Returns keys in the form that the database stores. Throws `invalid-field` for a string that is not a key set. */
function storedKeys(keySet: string, algorithms: readonly string[]): StoredKeys {
  const stored = { keys: readKeySet(keySet), algorithms: JSON.stringify(algorithms) }
  const revision = createHash('sha256').update(`${stored.algorithms}\n${stored.keys}`).digest('hex')
  return { ...stored, revision }
}

/** Returns the keys of an operator's file. Throws `invalid-field` if it is not a key set, or has no usable key. */
export function givenKeys(keySet: string): StoredKeys {
  const stored = storedKeys(keySet, [])
  const { keys, left_out: leftOut = {} }: { keys: readonly unknown[]; left_out?: LeftOut } = JSON.parse(
    stored.keys,
  )
  if (keys.length > 0) return stored
  const fault = 'The file has no key that can verify ID tokens: RSA with at least 2048 bits, EC or Ed25519.'
  throw invalidField([fault, leftOutText(leftOut) ?? []].flat().join(' '), { field: 'jwks' })
}

function readDocument(text: string, where: string): Readonly<Record<string, unknown>> {
  const value = objectDocumentIn(text)
  if (value) return value
  throw refused(where, 'is not a JSON object')
}

/** Returns the names; none if the document has no list. Verification decides which of them we accept. */
function algorithmsOf(value: unknown, where: string): readonly string[] {
  if (value === undefined) return []
  const isList = Array.isArray(value) && value.length > 0 && value.length <= MOST_ALGORITHMS
  if (isList && value.every((one) => typeof one === 'string' && one.length <= 64)) return value
  throw refused(where, 'has an id_token_signing_alg_values_supported that is not a list of names')
}

const shown = (value: unknown): string => (typeof value === 'string' ? quote(value) : '(missing)')

const refused = (where: string, what: string): RequestError => invalidField(`${where} ${what}.`)
