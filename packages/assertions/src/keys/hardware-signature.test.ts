import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import { decoded, testKey } from '../../test/vectors.ts'
import { expectType } from '../assertion.ts'
import { verifyHardwareSignature } from './hardware-signature.ts'

const identity = expectType(decoded('extra-head/hardware-identity'), 'hardware-identity')
const request = expectType(decoded('extra-head/serial-request-hwid-signed'), 'serial-request')
const { requestId } = request.fields
const proof = JSON.parse(Buffer.from(request.body).toString()) as Record<string, string>
const signature = proof['request-id-signature'] ?? ''

test('verifies a signed request id in any kind of base64', () => {
  assert.equal(proof['hardware-id-key-sha3-384'], identity.fields.hardwareKeyId)
  const plain = signature.replaceAll('=', '')
  const urlSafe = plain.replaceAll('+', '-').replaceAll('/', '_')
  for (const text of [signature, plain, urlSafe]) verifyHardwareSignature(identity, requestId, text)
})

test('accepts SHA-384, SHA-512 and RSA keys', () => {
  const hardwareKey = testKey('device2').keyObject
  const rsa = { ...identity, fields: { ...identity.fields, hardwareKey } }
  for (const hash of ['sha256', 'sha384', 'sha512']) {
    verifyHardwareSignature(rsa, 'R', sign(hash, Buffer.from('R'), hardwareKey).toString('base64'))
  }
  const weak = sign('sha1', Buffer.from('R'), hardwareKey).toString('base64')
  assert.throws(() => verifyHardwareSignature(rsa, 'R', weak), { code: 'bad-signature' })
})

test('refuses another request id, a different key and garbage', () => {
  const refusal = {
    code: 'bad-signature',
    message: 'the request id is not signed with the key of hardware HW-1',
  }
  assert.throws(() => verifyHardwareSignature(identity, 'other', signature), refusal)
  assert.throws(() => verifyHardwareSignature(identity, requestId, 'AAAA'), refusal)
  assert.throws(() => verifyHardwareSignature(identity, requestId, ''), refusal)
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const other = { ...identity, fields: { ...identity.fields, hardwareKey: publicKey } }
  assert.throws(() => verifyHardwareSignature(other, requestId, signature), refusal)
  assert.throws(() => verifyHardwareSignature(identity, requestId, '!'), {
    code: 'malformed-signature',
    message: 'the signature of the request id is not base64: wrong character or padding at byte 0',
  })
})
