import { decodeBase64 } from '../../base64.ts'
import { MacaroonError } from '../../errors.ts'
import { utf8 } from '../../text.ts'
import { openBox } from '../box.ts'
import { BakeryError } from '../errors.ts'
import { KEY_BYTES, type KeyPair } from '../key-pair.ts'
import { STANDARD_NAMESPACE } from '../namespace.ts'
import { type DecodedCaveatId, NONCE_BYTES } from './caveat-id.ts'

/** Opens a version 1 caveat: base64 of a JSON object with a box, which contains another JSON object. */
export function openVersion1(text: string, keyPairs: readonly KeyPair[]): DecodedCaveatId {
  const outer = readObject(bytesOf(text, 'the whole'))
  const thirdParty = field(outer, 'ThirdPartyPublicKey', KEY_BYTES)
  const firstPartyPublicKey = field(outer, 'FirstPartyPublicKey', KEY_BYTES)
  const nonce = field(outer, 'Nonce', NONCE_BYTES)
  const box = field(outer, 'Id')
  const keyPair = keyPairs.find((pair) => Buffer.compare(pair.publicKey, thirdParty) === 0)
  if (keyPair === undefined) {
    throw new BakeryError('public-key-mismatch', 'The caveat is not sealed to our public key')
  }
  const secret = openBox(keyPair, firstPartyPublicKey, nonce, box)
  if (secret === undefined) {
    throw new BakeryError('undecryptable', 'The caveat is sealed to our key but does not open')
  }
  const inner = readObject(secret)
  const condition = inner['Condition']
  if (typeof condition !== 'string' || !condition.isWellFormed()) throw malformed('"Condition" is not text')
  const rootKey = field(inner, 'RootKey')
  return { version: 1, condition, rootKey, firstPartyPublicKey, namespace: STANDARD_NAMESPACE, keyPair }
}

function readObject(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  const text = utf8(bytes)
  try {
    const value: unknown = text === undefined ? undefined : JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // Reported below without the text, because the sealed content is secret.
  }
  throw malformed('it is not a JSON object')
}

function field(object: Readonly<Record<string, unknown>>, name: string, length?: number): Uint8Array {
  const value = object[name]
  if (typeof value !== 'string') throw malformed(`"${name}" is missing`)
  const bytes = bytesOf(value, `"${name}"`)
  if (length !== undefined && bytes.length !== length) throw malformed(`"${name}" is not ${length} bytes`)
  return bytes
}

function bytesOf(text: string, what: string): Uint8Array {
  try {
    return decodeBase64(text)
  } catch (error) {
    if (error instanceof MacaroonError) throw malformed(`${what} is not base64`)
    throw error
  }
}

function malformed(why: string): BakeryError {
  return new BakeryError('malformed', `Not a version 1 caveat id: ${why}`)
}
