// Guarantee: the size is checked first, and no input needs more than linear time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_LIMITS, decode, decodeStream, type Limits } from '../src/index.ts'
import { refusal, vectorText } from './vectors.ts'

const valid = vectorText('valid/serial-request-body-blank-lines')
const headerBytes = valid.indexOf('\n\n') + 2
const bodyBytes = 11
const signatureBytes = valid.length - valid.lastIndexOf('\n\n') - 2

test('both decoders accept an assertion that is exactly at the limits', () => {
  const limits = {
    ...DEFAULT_LIMITS,
    headerBytes,
    bodyBytes,
    signatureBytes,
    streamBytes: valid.length,
    assertions: 1,
  }
  decode(valid, limits)
  decodeStream(valid, limits)
})

const over = (actual: number) => `${actual}, and the limit is ${actual - 1}`
for (const [name, limit, one, stream] of [
  ['headerBytes', headerBytes - 1, `bytes in assertion headers: ${over(headerBytes)}`],
  ['bodyBytes', bodyBytes - 1, `bytes in an assertion body: ${over(bodyBytes)}`],
  ['signatureBytes', signatureBytes - 1, `bytes in an assertion signature: ${over(signatureBytes)}`],
  ['streamBytes', valid.length - 1, undefined, `bytes in a stream of assertions: ${over(valid.length)}`],
  ['assertions', 0, undefined, 'assertions in a stream: 1, and the limit is 0'],
] as const satisfies readonly (readonly [keyof Limits, number, string | undefined, string?])[]) {
  test(`refuses one more than the limit ${name}`, () => {
    const limits = { ...DEFAULT_LIMITS, [name]: limit }
    if (one !== undefined) {
      const error = refusal(() => decode(valid, limits))
      assert.deepEqual([error.code, error.message], ['limit-exceeded', `too many ${one}`])
    }
    const error = refusal(() => decodeStream(valid, limits))
    assert.deepEqual([error.code, error.message], ['limit-exceeded', `too many ${stream ?? one}`])
  })
}

test('an assertion can be at all of its limits at once, but not larger', () => {
  const most = DEFAULT_LIMITS.headerBytes + DEFAULT_LIMITS.bodyBytes + 2 + DEFAULT_LIMITS.signatureBytes
  assert.equal(refusal(() => decode('a'.repeat(most))).code, 'incomplete')
  const message = `too many bytes in an assertion: ${over(most + 1)}`
  assert.equal(refusal(() => decode('a'.repeat(most + 1))).message, message)
  // The limit counts bytes, and each of these characters has 2.
  assert.equal(refusal(() => decode('é'.repeat(most / 2 + 1))).code, 'limit-exceeded')
})

test('refuses text that is not UTF-8, in headers and in the body', () => {
  const bytes = (text: string) => Buffer.from(text, 'latin1')
  const head = 'the header of the assertion is not UTF-8'
  const body = 'the body of the assertion is not UTF-8'
  for (const [text, message] of [
    [valid.replace('REQID', '\u00ff'), head],
    [valid.replace('REQID', '\u00c0\u0080'), head],
    [valid.replace('REQID', '\u00ed\u00a0\u0080'), head],
    [valid.replace('\n\nfirst', '\n\n\u00ffirst').replace('\n\na', '\n\n\u00ff'), body],
  ] as const) {
    for (const run of [() => decode(bytes(text)), () => decodeStream(bytes(text))]) {
      const error = refusal(run)
      assert.deepEqual([error.code, error.message], ['not-text', message])
    }
  }
  assert.equal(refusal(() => decode('\ud800')).code, 'not-text')
})

test('accepts any bytes as a signature until it is verified', () => {
  const text = `${valid.slice(0, valid.lastIndexOf('\n\n'))}\n\n\u00ff`
  assert.equal(decode(Buffer.from(text, 'latin1')).signature.length, 1)
})

test('a decoded assertion does not change with the bytes it was decoded from', () => {
  const bytes = Buffer.from(valid)
  const assertion = decode(bytes)
  const before = Buffer.from(assertion.content)
  bytes.fill(0)
  assert.deepEqual(Buffer.from(assertion.content), before)
})

test('decodes an empty stream as an empty list, and refuses an empty assertion', () => {
  assert.deepEqual(decodeStream(''), [])
  assert.equal(refusal(() => decode('')).code, 'incomplete')
  assert.equal(refusal(() => decodeStream('\n')).code, 'incomplete')
})

const MEGABYTES = 2 * 1024 * 1024
const fill = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length))
const head = (entries: string) => `type: serial\n${entries}\n\nsig\n`
/** Leaves room for the rest of a valid text. */
const HEADER = 128 * 1024 - 3000
const deep = Array.from({ length: 350 }, (_, i) => `${' '.repeat(2 * i + 2)}-`).join('\n')
const hostile: readonly (readonly [what: string, text: string])[] = [
  ['newlines', '\n'.repeat(MEGABYTES)],
  ['blank lines with something between', fill('a\n\n', MEGABYTES)],
  ['one long line', 'a'.repeat(MEGABYTES)],
  ['a nearly valid header name', head(`${'a-'.repeat(HEADER / 2)}`)],
  ['a nearly valid header name with its colon', head(`${fill('a-', HEADER)}-: a`)],
  ['header names', head(fill('aaaa:\n', HEADER))],
  ['one string of many lines', head(`x:\n${fill('    a\n', HEADER)}y: z`)],
  ['a long list', head(`x:\n${fill('  - a\n', HEADER)}y: z`)],
  ['a deep list', head(`x:\n${deep} a\ny: z`)],
  ['a deep list with more items', head(`x:\n${deep} a\n${fill('  - a\n', 4000)}y: z`)],
  ['different names', head(Array.from({ length: 9000 }, (_, i) => `x${i}: a`).join('\n'))],
  ['spaces', head(`x:${' '.repeat(HEADER)}`)],
  ['a nearly valid model', vectorText('valid/serial').replace('acme-classic', `${fill('a-', HEADER)}`)],
  [
    'a nearly valid key name',
    vectorText('valid/account-key-acme-brand').replace('serial', `${'a'.repeat(HEADER)}!`),
  ],
  ['a key name of digits', vectorText('valid/account-key-acme-brand').replace('serial', '1'.repeat(HEADER))],
  ['a number', vectorText('valid/serial').replace('brand-id', `revision: ${'9'.repeat(HEADER)}\nbrand-id`)],
  ['a timestamp', vectorText('valid/serial').replace('12:00:00Z', `12:00:00.${'9'.repeat(HEADER)}`)],
  ['a URL', vectorText('valid/store-acme-proxy').replace('127.0.0.1:18080', 'a'.repeat(HEADER))],
  ['a signature', `${vectorText('valid/serial').split('\n\n')[0]}\n\n${'A'.repeat(HEADER)}!`],
  ['a stream of nearly valid assertions', fill('type: serial\n\nsig\n\n', MEGABYTES)],
  [
    'a body of base64 that is not a key',
    vectorText('valid/account-key-acme-brand')
      .replace('body-length: 717', `body-length: ${MEGABYTES}`)
      .replace(/\n\nAcbB.*?\n\n/s, `\n\n${'A'.repeat(MEGABYTES)}\n\n`),
  ],
]
for (const [what, text] of hostile) {
  test(`answers ${(text.length / 1024).toFixed()} KiB of hostile text at once: ${what}`, () => {
    for (const run of [() => decode(text), () => decodeStream(text)]) {
      const begin = process.cpuUsage()
      try {
        run()
      } catch (error) {
        assert.equal((error as Error).name, 'AssertionError')
        assert.ok((error as Error).message.length < 1000, 'The message is short')
      }
      // Quadratic work on 2 MiB would take minutes.
      assert.ok(process.cpuUsage(begin).user < 2_000_000)
    }
  })
}
