import assert from 'node:assert/strict'
import { test } from 'node:test'
import { varint } from '../../formats/varint.ts'
import { sealBox } from '../box.ts'
import { decodeCaveatId, generateKeyPair } from '../index.ts'

const own = generateKeyPair()
const firstParty = generateKeyPair()
const nonce = Buffer.alloc(24, 1)
const rootKey = Buffer.alloc(24, 2)

function sealed(version: number, secret: readonly Uint8Array[]): Uint8Array {
  const box = sealBox(firstParty, own.publicKey, nonce, Buffer.concat(secret))
  return Buffer.concat([Buffer.of(version), own.publicKey.subarray(0, 4), firstParty.publicKey, nonce, box])
}

const key = [varint(rootKey.length), rootKey]
const SECRETS: readonly [string, number, readonly Uint8Array[], string | undefined][] = [
  ['version 2', 2, [Buffer.of(2), ...key, Buffer.from('true')], undefined],
  ['version 3', 3, [Buffer.of(3), ...key, Buffer.of(0), Buffer.from('true')], undefined],
  [
    'a different version inside',
    2,
    [Buffer.of(3), ...key, Buffer.from('true')],
    'its version differs from the outer one',
  ],
  ['nothing inside', 2, [], 'its version differs from the outer one'],
  ['a truncated root key', 2, [Buffer.of(2), Buffer.of(25), rootKey], 'a length in it is wrong'],
  ['no namespace', 3, [Buffer.of(3), ...key], 'a length in it is wrong'],
  [
    'a condition that is not text',
    2,
    [Buffer.of(2), ...key, Buffer.of(0xff)],
    'its condition or namespace is not UTF-8',
  ],
  [
    'a root key of 2^64 - 1 bytes',
    2,
    [Buffer.of(2), Buffer.from('ffffffffffffffffff01', 'hex'), rootKey],
    'a length in it is wrong',
  ],
]
for (const [what, version, secret, problem] of SECRETS) {
  test(`${problem === undefined ? 'opens' : 'refuses'} a caveat with ${what}`, () => {
    const caveat = sealed(version, secret)
    if (problem === undefined) {
      assert.equal(decodeCaveatId(caveat, [own]).condition, 'true')
      return
    }
    const message = `The sealed content of the caveat cannot be read: ${problem}`
    assert.throws(() => decodeCaveatId(caveat, [own]), { code: 'malformed', message })
  })
}
