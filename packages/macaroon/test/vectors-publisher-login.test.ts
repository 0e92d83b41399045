import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bindDischarge,
  decodeBase64,
  decodeBinary,
  encodeBase64Url,
  encodeBinary,
  type Macaroon,
  MacaroonError,
  type MacaroonErrorCode,
  type UnverifiedSlice,
  verify,
} from '../src/index.ts'
import { fromHex, toHex, vectors } from './vectors.ts'

interface MacaroonVector {
  readonly serialized: string
  readonly location: string
  readonly identifier: string
  readonly signature_hex: string
  readonly caveats: readonly { readonly id: string; readonly location?: string; readonly vid_hex?: string }[]
}
type Pair = 'root' | 'discharge_unbound' | 'discharge_bound'
interface ValidVector extends Readonly<Record<Pair, MacaroonVector>> {
  readonly name: string
  readonly refreshed_unbound?: MacaroonVector
  readonly refreshed_bound?: MacaroonVector
  readonly authorization: Readonly<Record<string, string>>
  readonly conditions_in_order?: readonly string[]
}
interface HeaderVector {
  readonly name: string
  readonly why?: string
  readonly authorization: string
}
interface RefreshVector {
  readonly name: string
  readonly body: { readonly discharge_macaroon?: string }
}

const { keys, valid, invalid, identity, expiry, refresh_invalid, v2_root } = vectors<{
  keys: Readonly<Record<`${'root' | 'caveat'}_key_${1 | 2}_hex`, string>>
  valid: ValidVector[]
  invalid: HeaderVector[]
  identity: HeaderVector[]
  expiry: HeaderVector[]
  refresh_invalid: RefreshVector[]
  v2_root: { serialized: string }
}>('10-publisher-login')
const rootKey = fromHex(keys.root_key_1_hex)
const caveatKey = fromHex(keys.caveat_key_1_hex)

function decode(text: string): Macaroon {
  const [macaroon, ...more] = decodeBinary(decodeBase64(text))
  assert.deepEqual(more, [])
  return macaroon
}

/** Reads the slice of a header `Macaroon root=R, discharge=D`, with values quoted or not. */
function sliceOf(header: string): UnverifiedSlice {
  const [root, ...discharges] = [...header.matchAll(/(?:root|discharge)="?([^",\s]+)/g)].map(
    ([, text = '']) => decode(text),
  )
  assert.ok(root)
  return [root, ...discharges]
}

const conditionsOf = (slice: UnverifiedSlice, key = rootKey) =>
  verify(slice, key).map(({ condition }) => condition)

const refusal = (slice: UnverifiedSlice, key = rootKey): MacaroonErrorCode | undefined => {
  try {
    verify(slice, key)
    return undefined
  } catch (error) {
    assert.ok(error instanceof MacaroonError, String(error))
    return error.code
  }
}

for (const vector of valid) {
  const { root, discharge_unbound, discharge_bound, refreshed_unbound, refreshed_bound } = vector

  test(`vector 10 ${vector.name}: reads every macaroon, and writes it with the same bytes`, () => {
    const all = [root, discharge_unbound, discharge_bound, refreshed_unbound, refreshed_bound]
    for (const one of all.filter((each) => each !== undefined)) {
      const macaroon = decode(one.serialized)
      const { version, location, id, signature, caveats } = macaroon
      assert.deepEqual(
        [version, location, Buffer.from(id).toString(), toHex(signature)],
        [1, one.location, one.identifier, one.signature_hex],
      )
      assert.deepEqual(
        caveats.map((each) => ({
          id: Buffer.from(each.id).toString(),
          ...(each.verificationId && { location: each.location, vid_hex: toHex(each.verificationId) }),
        })),
        one.caveats,
      )
      assert.equal(encodeBase64Url(encodeBinary(macaroon)), one.serialized)
    }
  })

  test(`vector 10 ${vector.name}: verifies in every client's header, with the conditions in order`, () => {
    for (const [client, header] of Object.entries(vector.authorization)) {
      const found = conditionsOf(sliceOf(header))
      if (vector.conditions_in_order) assert.deepEqual(found, vector.conditions_in_order, client)
    }
  })

  test(`vector 10 ${vector.name}: binding gives the same discharge, before and after a refresh`, () => {
    for (const [unbound, bound] of [
      [discharge_unbound, discharge_bound],
      [refreshed_unbound, refreshed_bound],
    ] as const) {
      if (!unbound || !bound) continue
      const [from, discharge] = [decode(root.serialized), decode(unbound.serialized)]
      assert.deepEqual(bindDischarge(from, discharge), decode(bound.serialized))
      assert.equal(refusal([discharge], caveatKey), undefined)
      assert.equal(refusal([decode(bound.serialized)], caveatKey), 'bad-signature')
      assert.equal(refusal([from, discharge]), 'bad-signature')
    }
  })
}

const CODES: Readonly<Record<string, MacaroonErrorCode>> = {
  'no-discharge': 'discharge-missing',
  'discharge-of-another-caveat': 'discharge-missing',
}
for (const { name, why, authorization } of invalid) {
  test(`vector 10 ${name}: refuses the slice (${why})`, () => {
    assert.equal(refusal(sliceOf(authorization)), CODES[name] ?? 'bad-signature')
  })
}

for (const { name, authorization } of [...identity, ...expiry]) {
  test(`vector 10 ${name}: has valid signatures, so its conditions decide`, () => {
    assert.equal(refusal(sliceOf(authorization)), undefined)
  })
}

for (const { name, body } of refresh_invalid.filter((one) => one.body.discharge_macaroon !== undefined)) {
  test(`vector 10 ${name}: is not a discharge that could be refreshed`, () => {
    assert.throws(() => verify([decode(body.discharge_macaroon ?? '')], caveatKey), MacaroonError)
  })
}

test('vector 10: also reads a version 2 root', () => {
  assert.equal(decode(v2_root.serialized).version, 2)
})
