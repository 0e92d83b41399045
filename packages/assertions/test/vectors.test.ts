// Guarantee: we accept the files of ../vectors that snapd accepted, and refuse the others with the code in
// vector-codes.ts. snapd's messages are only recorded, not compared.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { iterateStream } from '../src/decode-stream.ts'
import {
  AssertionError,
  type AssertionErrorCode,
  decode,
  encode,
  encodeStream,
  type Headers,
  type HeaderValue,
  type Policy,
  SNAPD_POLICY,
  type UnverifiedAssertion,
  verifySelfSigned,
  verifySignature,
  verifyTrust,
} from '../src/index.ts'
import { VECTOR_CODES } from './vector-codes.ts'
import { decoded, vector, vectorJson, vectorNames, world } from './vectors.ts'

interface Expected {
  readonly File: string
  readonly decode: string
  readonly stream: readonly string[]
  readonly stream_verify: readonly string[] | null
  readonly verify: string
  readonly headers?: Readonly<Record<string, unknown>>
  readonly body_bytes: number
  readonly reencodes_identically: boolean
}

const expected = vectorJson<readonly Expected[]>('expected.json')

/** Files that our policy refuses, although snapd accepts them. */
const WEAK: ReadonlyMap<string, string> = new Map([
  ['noncanonical-accepted/sig-sha1', 'weak-hash'],
  ['noncanonical-accepted/key-1024', 'weak-key'],
])

const answer = async (run: () => unknown): Promise<'OK' | AssertionErrorCode> => {
  try {
    await run()
    return 'OK'
  } catch (error) {
    if (error instanceof AssertionError) return error.code
    throw error
  }
}

/** Our expected result for snapd's result. */
const ours = (snapd: string, code: AssertionErrorCode | undefined): string | undefined =>
  snapd.startsWith('ERR ') ? code : snapd

const plain = (value: HeaderValue): unknown => {
  if (typeof value === 'string') return value
  if (value instanceof Map) return Object.fromEntries([...(value as Headers)].map(([k, v]) => [k, plain(v)]))
  return (value as readonly HeaderValue[]).map(plain)
}

/** Verifies an assertion as the vectors were verified: requests with their key, others with the recorded database. */
async function check(assertion: UnverifiedAssertion, policy: Policy): Promise<void> {
  if (assertion.type === 'serial-request') verifySelfSigned(assertion, policy)
  else if (assertion.type === 'account-key-request') verifySelfSigned(assertion, policy)
  else if (assertion.type === 'device-session-request') {
    const serial = decoded('valid/serial')
    assert.ok(serial.type === 'serial')
    verifySignature(assertion, serial.fields.deviceKey, policy)
  } else {
    await verifyTrust(assertion, { ...world(), policy })
  }
}

for (const vectorOf of expected) {
  const { File: name } = vectorOf
  const bytes = vector(name)
  const codes = VECTOR_CODES[name] ?? {}

  test(`decodes ${name} as one assertion like snapd`, async () => {
    assert.equal(await answer(() => decode(bytes)), ours(vectorOf.decode, codes.decode))
    if (vectorOf.decode !== 'OK') return
    const assertion = decode(bytes)
    assert.deepEqual(
      Object.fromEntries([...assertion.headers].map(([k, v]) => [k, plain(v)])),
      vectorOf.headers,
    )
    assert.equal(assertion.body.length, vectorOf.body_bytes)
    assert.equal(Buffer.compare(encode(assertion), bytes) === 0, vectorOf.reencodes_identically)
    const verified = ours(vectorOf.verify, codes.verify)
    assert.equal(await answer(() => check(assertion, SNAPD_POLICY)), verified)
    assert.equal(await answer(() => check(assertion, SECURE)), WEAK.get(name) ?? verified)
  })

  test(`decodes ${name} as a stream like snapd`, async () => {
    const seen: string[] = []
    const verified: string[] = []
    const failure = await answer(async () => {
      for (const assertion of iterateStream(bytes)) {
        seen.push(assertion.type)
        verified.push(await answer(() => check(assertion, SNAPD_POLICY)))
      }
    })
    const stream = vectorOf.stream.map((each) => ours(each, codes.stream))
    assert.deepEqual([...seen, ...(failure === 'OK' ? [] : [failure])], stream)
    const streamVerify = vectorOf.stream_verify?.map((each) => ours(each, codes.verify)) ?? []
    assert.deepEqual(verified, streamVerify)
  })
}

const SECURE: Policy = {
  hashes: ['sha256', 'sha384', 'sha512'],
  minimumKeyBits: 2048,
  maximumKeyBits: 16_384,
}

test('the table has a code exactly where snapd refused', () => {
  const refusedAt = ({ decode: one, stream, verify, stream_verify }: Expected) => ({
    decode: one.startsWith('ERR '),
    stream: stream.some((each) => each.startsWith('ERR ')),
    verify: [verify, ...(stream_verify ?? [])].some((each) => each.startsWith('ERR ')),
  })
  for (const row of expected) {
    const { decode: one, stream, verify } = VECTOR_CODES[row.File] ?? {}
    const given = { decode: one !== undefined, stream: stream !== undefined, verify: verify !== undefined }
    assert.deepEqual(given, refusedAt(row), row.File)
  }
  const known = expected.map(({ File }) => File)
  assert.deepEqual(
    Object.keys(VECTOR_CODES).filter((name) => !known.includes(name)),
    [],
  )
})

test('every vector has its expectation', () => {
  const folders = ['decode-error', 'decoder-differs', 'extra-head', 'noncanonical-accepted', 'rule-error']
  const names = [...folders, 'signature-error', 'valid'].flatMap((folder) =>
    vectorNames(folder).map((name) => `${folder}/${name}`),
  )
  assert.deepEqual(names.sort(), expected.map(({ File }) => File).sort())
})

for (const name of vectorNames('valid').filter((n) => n.startsWith('stream-'))) {
  test(`writes valid/${name} again byte for byte`, () => {
    const bytes = vector(`valid/${name}`)
    assert.deepEqual(Buffer.from(encodeStream([...iterateStream(bytes)])), bytes)
  })
}
