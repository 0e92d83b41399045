import { randomBytes } from 'node:crypto'
import { encodeBase64 } from '../../base64.ts'
import { varint } from '../../formats/varint.ts'
import { utf8Bytes } from '../../text.ts'
import { sealBox } from '../box.ts'
import { KEY_BYTES } from '../key-pair.ts'
import { formatNamespace, STANDARD_NAMESPACE } from '../namespace.ts'
import { type CaveatIdInput, NONCE_BYTES } from './caveat-id.ts'

/**
 * Seals a condition and a root key to a third party. Returns the id of the caveat in versions 1 and 2, and the payload
 * to send with a short id in version 3.
 * Throws `TypeError` for an empty root key or one over 64 KiB, and for keys or a nonce of a wrong length.
 */
export function encodeCaveatId(input: CaveatIdInput): Uint8Array {
  const { version, rootKey, thirdPartyPublicKey, nonce = randomBytes(NONCE_BYTES) } = input
  if (rootKey.length === 0 || rootKey.length > 0xffff)
    throw new TypeError('The root key is empty or too long')
  if (nonce.length !== NONCE_BYTES)
    throw new TypeError(`The nonce must be ${NONCE_BYTES} bytes, not ${nonce.length}`)
  if (thirdPartyPublicKey.length !== KEY_BYTES)
    throw new TypeError(`The public key must be ${KEY_BYTES} bytes`)
  return version === 1 ? encodeVersion1(input, nonce) : encodeBinary(version, input, nonce)
}

function encodeVersion1(input: CaveatIdInput, nonce: Uint8Array): Uint8Array {
  const { condition, rootKey, thirdPartyPublicKey, firstParty } = input
  utf8Bytes(condition, 'The condition')
  const secret = Buffer.from(JSON.stringify({ RootKey: encodeBase64(rootKey), Condition: condition }))
  const outer = {
    ThirdPartyPublicKey: encodeBase64(thirdPartyPublicKey),
    FirstPartyPublicKey: encodeBase64(firstParty.publicKey),
    Nonce: encodeBase64(nonce),
    Id: encodeBase64(sealBox(firstParty, thirdPartyPublicKey, nonce, secret)),
  }
  return Buffer.from(encodeBase64(Buffer.from(JSON.stringify(outer))))
}

function encodeBinary(version: 2 | 3, input: CaveatIdInput, nonce: Uint8Array): Uint8Array {
  const { condition, rootKey, namespace = STANDARD_NAMESPACE, thirdPartyPublicKey, firstParty } = input
  const secret = [Buffer.of(version), varint(rootKey.length), rootKey]
  if (version === 3) {
    const text = Buffer.from(formatNamespace(namespace))
    secret.push(varint(text.length), text)
  }
  secret.push(utf8Bytes(condition, 'The condition'))
  const box = sealBox(firstParty, thirdPartyPublicKey, nonce, Buffer.concat(secret))
  return Buffer.concat([
    Buffer.of(version),
    thirdPartyPublicKey.subarray(0, 4),
    firstParty.publicKey,
    nonce,
    box,
  ])
}
