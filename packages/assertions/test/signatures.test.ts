// Guarantee: a signature is the packet that the contract describes, over exactly these bytes, with this key.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import {
  type AssertionErrorCode,
  DEFAULT_POLICY,
  decodePublicKey,
  decodeSignature,
  type HashName,
  publicKeyFromKeyObject,
  SNAPD_POLICY,
  sign,
  verifySelfSigned,
  verifySignature,
} from '../src/index.ts'
import { CREATED, longPacket, mpi, requestSignedAs, type SignatureFields } from './packets.ts'
import { decoded, RECORDED, testKey } from './vectors.ts'

const subpacket = (type: number, ...data: number[]): Buffer =>
  Buffer.concat([CREATED, Buffer.of(data.length + 1, type, ...data)])
const issuer = Buffer.of(9, 16, 1, 2, 3, 4, 5, 6, 7, 8)

const accepted: readonly (readonly [what: string, fields: Partial<SignatureFields>])[] = [
  ['with the fields that snapd writes', {}],
  ['of a different type', { type: 0x13 }],
  ['with an issuer that is not signed, as GnuPG writes it', { unhashed: issuer }],
  ['with an unknown subpacket', { hashed: subpacket(100, 1) }],
  ['with a known critical subpacket', { hashed: subpacket(0x80 | 3, 0, 0, 0, 1) }],
  [
    'with a subpacket length of two bytes',
    { hashed: Buffer.concat([CREATED, Buffer.of(192, 0, 100), Buffer.alloc(191)]) },
  ],
  [
    'with a subpacket length of five bytes',
    { hashed: Buffer.concat([CREATED, Buffer.of(255, 0, 0, 0, 1, 100)]) },
  ],
  [
    'in a packet of the old format with two bytes of length',
    { wrap: (c) => Buffer.concat([Buffer.of(0x89, c.length >> 8, c.length & 0xff), c]) },
  ],
  [
    'in a packet of the old format with four bytes of length',
    { wrap: (c) => Buffer.concat([Buffer.of(0x8a, 0, 0, c.length >> 8, c.length & 0xff), c]) },
  ],
]
for (const [what, fields] of accepted) {
  test(`verifies a signature ${what}`, () => {
    const request = requestSignedAs(fields)
    assert.equal(verifySelfSigned(request), request.fields.deviceKey)
  })
}

const MALFORMED = 'malformed-signature'
const UNSUPPORTED = 'unsupported-signature'
const cut = (bytes: number) => (c: Buffer) =>
  Buffer.concat([Buffer.of(0xc2, 0xff, 0, 0, c.length >> 8, c.length & 0xff), c.subarray(0, -bytes)])
const refused: readonly (readonly [
  what: string,
  fields: Partial<SignatureFields>,
  code: AssertionErrorCode,
  says: string,
])[] = [
  ['of version 3', { version: 3, type: 5 }, UNSUPPORTED, 'version 3'],
  ['of version 5', { version: 5 }, UNSUPPORTED, 'version 5'],
  ['of DSA', { algorithm: 17 }, UNSUPPORTED, 'algorithm 17'],
  ['with RIPEMD-160', { hash: 3 }, UNSUPPORTED, 'hash, OpenPGP number 3'],
  ['with an unassigned hash', { hash: 255 }, UNSUPPORTED, 'number 255'],
  ['without a time', { hashed: Buffer.alloc(0) }, MALFORMED, 'no creation time'],
  [
    'with only an unsigned time',
    { hashed: Buffer.alloc(0), unhashed: CREATED },
    MALFORMED,
    'no creation time that is signed',
  ],
  ['with a second, unsigned time', { unhashed: CREATED }, MALFORMED, 'creation time that is not signed'],
  ['with a time of three bytes', { hashed: Buffer.of(4, 2, 1, 2, 3) }, MALFORMED, 'not 4 bytes'],
  [
    'with an issuer of seven bytes',
    { unhashed: Buffer.of(8, 16, 1, 2, 3, 4, 5, 6, 7) },
    MALFORMED,
    'not 8 bytes',
  ],
  [
    'with an unknown, unsigned critical subpacket',
    { unhashed: Buffer.of(1, 0x80 | 101) },
    UNSUPPORTED,
    'critical subpacket of type 101',
  ],
  [
    'with an empty subpacket',
    { hashed: Buffer.concat([CREATED, Buffer.of(0)]) },
    MALFORMED,
    'empty subpacket',
  ],
  [
    'with a subpacket cut off',
    { hashed: Buffer.concat([CREATED, Buffer.of(9, 100)]) },
    MALFORMED,
    'subpacket that is cut off',
  ],
  ['with bytes after its value', { leftover: Buffer.of(0) }, MALFORMED, 'bytes after its end'],
  [
    'in a packet with bytes after it',
    {
      wrap: (c) =>
        Buffer.concat([Buffer.of(0xc2, 0xff, 0, 0, c.length >> 8, c.length & 0xff), c, Buffer.of(0)]),
    },
    MALFORMED,
    'bytes after its end',
  ],
  ['in a packet that is cut off', { wrap: cut(3) }, MALFORMED, 'is cut off'],
  [
    'in a packet of a partial length',
    { wrap: (c) => Buffer.concat([Buffer.of(0xc2, 0xe9), c]) },
    MALFORMED,
    'definite length',
  ],
  [
    'in a packet without a definite length',
    { wrap: (c) => Buffer.concat([Buffer.of(0x8b), c]) },
    MALFORMED,
    'definite length',
  ],
  [
    'in a packet for a public key',
    { wrap: (c) => Buffer.concat([Buffer.of(0xc6, 1), c]) },
    MALFORMED,
    'packet of type 6',
  ],
  ['without a packet', { wrap: () => Buffer.of(0x42) }, MALFORMED, 'not an OpenPGP packet'],
  ['without anything after the version', { wrap: () => Buffer.alloc(0) }, MALFORMED, 'is cut off'],
]
for (const [what, fields, code, says] of refused) {
  test(`refuses a signature ${what}`, () => {
    const message = new RegExp(`^the signature .*${says}`)
    assert.throws(() => verifySelfSigned(requestSignedAs(fields)), { code, message })
  })
}

// Guarantee: weak hashes and weak keys are refused unless a tool asks for them explicitly.
for (const [number, hash, secure] of [
  [1, 'md5', false],
  [2, 'sha1', false],
  [11, 'sha224', false],
  [8, 'sha256', true],
  [9, 'sha384', true],
  [10, 'sha512', true],
] as const) {
  test(`verifies a signature with ${hash}${secure ? '' : ', but for tools only'}`, () => {
    const request = requestSignedAs({ hash: number })
    assert.equal(decodeSignature(request.signature).hash, hash satisfies HashName)
    verifySelfSigned(request, SNAPD_POLICY)
    if (secure) return void verifySelfSigned(request)
    const message = `the signature's hash ${hash} is not accepted; use one of sha256, sha384, sha512`
    assert.throws(() => verifySelfSigned(request), { code: 'weak-hash', message })
  })
}

test('refuses a key with fewer or more bits than the policy accepts', () => {
  const { id } = testKey('device').publicKey
  const request = requestSignedAs({})
  const check = (minimumKeyBits: number, maximumKeyBits: number) =>
    verifySelfSigned(request, { ...DEFAULT_POLICY, minimumKeyBits, maximumKeyBits })
  check(4096, 4096)
  for (const [least, most] of [
    [4097, 8192],
    [2048, 4095],
  ] as const) {
    const message = `key ${id} has 4096 bits, and the policy accepts ${least} to ${most}`
    assert.throws(() => check(least, most), { code: 'weak-key', message })
  }
})

test('verifies a session request only with the device key of the serial', () => {
  const [request, serial] = [decoded('valid/device-session-request'), decoded('valid/serial')]
  assert.ok(serial.type === 'serial')
  verifySignature(request, serial.fields.deviceKey)
  const other = testKey('device2').publicKey
  const keys = `${serial.fields.deviceKeyId}, not ${other.id}`
  assert.throws(() => verifySignature(request, other), {
    code: 'wrong-key' satisfies AssertionErrorCode,
    message: `the device-session-request names a different signing key: ${keys}`,
  })
})

test('reads a value shorter than the modulus as one with leading zeros', () => {
  // About one signature in 256 is shorter. With a small key, the search is quick.
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const key = { publicKey: publicKeyFromKeyObject(privateKey), keyObject: privateKey }
  const policy = { minimumKeyBits: 1024, maximumKeyBits: 1024 }
  const headers = { 'brand-id': 'a', model: 'm', serial: 's', timestamp: '2020-01-01T00:00:00Z' }
  for (let nonce = 0; ; nonce++) {
    const input = { type: 'device-session-request', headers: { ...headers, nonce: `${nonce}` } } as const
    const request = sign(input, key, { signedAt: RECORDED, policy })
    const { value } = decodeSignature(request.signature)
    if (value[0] !== 0) continue
    const packet = Buffer.from(Buffer.from(request.signature).toString(), 'base64')
    // After the version byte, 2 bytes of packet header and 14 up to the digest tag, the value ends the packet.
    const shorter = Buffer.concat([
      packet.subarray(0, -130),
      Buffer.of(127 >> 5, (127 * 8) & 0xff),
      value.subarray(1),
    ])
    shorter[1 + 1] = (shorter[2] as number) - 1
    const signature = Buffer.from(shorter.toString('base64'))
    verifySignature({ ...request, signature }, key.publicKey, SNAPD_POLICY)
    return
  }
})

test('answers keys of absurd sizes at once', () => {
  const request = requestSignedAs({})
  const begin = process.cpuUsage()
  for (const length of [1, 2, 63, 64, 511, 513, 2048, 2049, 8000]) {
    for (const exponent of [Buffer.of(3), Buffer.of(0xff, 0xff, 0xff)]) {
      const fields = [Buffer.of(4, 0, 0, 0, 0, 1), mpi(Buffer.alloc(length, 0xff)), mpi(exponent)]
      const packet = Buffer.concat([Buffer.of(1), longPacket(6, Buffer.concat(fields))])
      const key = decodePublicKey(packet.toString('base64'))
      const policy = { ...SNAPD_POLICY, maximumKeyBits: 1_000_000 }
      const check = () => verifySignature({ ...request, signKeyId: key.id }, key, policy)
      assert.throws(check, { code: 'bad-signature' })
    }
  }
  assert.ok(process.cpuUsage(begin).user < 2_000_000)
})
