/**
 * How fast assertions are read, verified and signed: `node benchmarks/assertions.ts`. Prints operations per second, and
 * how that compares with the RSA computation inside each, which is OpenSSL's and unavoidable. Asserts nothing: on a
 * shared machine only the ratios within one run are meaningful.
 */
import { sign as rsaSign, verify as rsaVerify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import {
  decode,
  decodeSignature,
  decodeStream,
  expectType,
  type FindAssertion,
  isReferredTo,
  keyObjectOf,
  privateKeyFromPem,
  sign,
  trustRoots,
  verifySignature,
  verifyTrust,
} from '../packages/assertions/src/index.ts'

const SECONDS = 1
const ROUNDS = 3

const vector = (name: string): Buffer =>
  readFileSync(new URL(`../packages/assertions/vectors/${name}`, import.meta.url))
const decoded = (name: string) => decode(vector(name))

const text = vector('valid/serial')
const large = vector('valid/model-acme-core-24')
const stream = vector('valid/stream-registration')
const serial = expectType(decode(text), 'serial')
const brandKey = expectType(decoded('valid/account-key-acme-brand'), 'account-key').fields.publicKey
const known = [decoded('valid/account-acme-brand'), decoded('valid/account-key-acme-brand')]
const find: FindAssertion = (type, primaryKey) => known.find((a) => isReferredTo(a, type, primaryKey))
const roots = trustRoots(['valid/account-test-root', 'valid/account-key-test-root'].map(decoded))
const now = new Date('2026-01-01T00:00:00Z')
const privateKey = privateKeyFromPem(vector('world/keys/brand.pem'))
const { type, headers } = serial

const signature = decodeSignature(serial.signature)
const message = Buffer.concat([serial.content, signature.hashedSuffix])

async function perSecond(run: () => unknown): Promise<number> {
  const begin = performance.now()
  let runs = 0
  while (performance.now() - begin < SECONDS * 1000) {
    for (let i = 0; i < 20; i++) await run()
    runs += 20
  }
  return runs / ((performance.now() - begin) / 1000)
}

/** The best of several rounds, taken in turns so that all see the same noise. */
async function measure(rows: readonly (readonly [what: string, run: () => unknown, base: string])[]) {
  const best = new Map<string, number>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const [what, run] of rows) best.set(what, Math.max(best.get(what) ?? 0, await perSecond(run)))
  }
  for (const [what, , base] of rows) {
    const rate = best.get(what) ?? 0
    const ratio = ((best.get(base) ?? 0) / rate).toFixed(2)
    const number = Math.round(rate).toLocaleString('en').padStart(9)
    process.stdout.write(`${what.padEnd(34)} ${number}/s   ${ratio.padStart(6)} times the work of: ${base}\n`)
  }
}

const VERIFY = 'RSA-4096 verify alone'
const SIGN = 'RSA-4096 sign alone'
await measure([
  [VERIFY, () => rsaVerify('sha512', message, keyObjectOf(brandKey), signature.value), VERIFY],
  ['decode a serial', () => decode(text), VERIFY],
  ['decode a model with snaps', () => decode(large), VERIFY],
  ['decode a registration (stream of 2)', () => decodeStream(stream), VERIFY],
  ['verify a serial', () => verifySignature(serial, brandKey), VERIFY],
  ['decode and verify a serial', () => verifySignature(decode(text), brandKey), VERIFY],
  ['a whole chain: 3 signatures', () => verifyTrust(serial, { roots, find, now }), VERIFY],
  [SIGN, () => rsaSign('sha512', message, privateKey.keyObject), SIGN],
  ['sign a serial', () => sign({ type, headers }, privateKey, { signedAt: now }), SIGN],
])
