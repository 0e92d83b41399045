import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type BakeryMacaroon,
  type BakeryVersion,
  caveatPayload,
  decodeBakeryMacaroon,
  discharge,
  dischargeAll,
  encodeBakeryMacaroon,
  formatMacaroonsHeader,
  slicesFromMacaroonsHeader,
} from '../src/bakery/index.ts'
import { decodeBase64, decodeBinary, encodeBinary, type UnverifiedSlice, verify } from '../src/index.ts'
import { fromHex, toHex, vectorKeyPairs, vectors } from './vectors.ts'

interface BakeryVector {
  readonly name: string
  readonly bakery_version: BakeryVersion
  readonly root_key_hex: string
  readonly root_json: unknown
  readonly root_json_text?: string
  readonly third_party_caveat?: {
    readonly id_hex: string
    readonly location: string
    readonly external_payload_hex: string | null
    readonly condition: string
    readonly caveat_root_key_hex: string
    readonly info_version: BakeryVersion
  }
  readonly discharge_json: unknown
  readonly condition_seen_by_discharger?: string
  readonly need_declared?: boolean
  readonly bound_slice: Readonly<Record<string, string>>
  readonly bound_slice_binary: Readonly<Record<string, string>>
  readonly expected_conditions_in_order: readonly string[]
}

interface AgentVector {
  readonly root_key_hex: string
  readonly login_response: { readonly macaroon: unknown }
  readonly discharge_token: { readonly hex: string; readonly base64_std_padded: string }
  readonly expected_conditions_in_order: readonly string[]
}

const keys = vectorKeyPairs()
const thirdParty = keys['third_party']
const agentKey = keys['agent']
assert.ok(thirdParty && agentKey)

const conditionsOf = (slice: UnverifiedSlice, rootKeyHex: string): string[] =>
  verify(slice, fromHex(rootKeyHex)).map((c) => c.condition)

for (const file of ['04-bakery-macaroons-py', '06-bakery-macaroons-go']) {
  for (const vector of vectors<{ cases: BakeryVector[] }>(file).cases) {
    const name = `vector ${file.slice(0, 2)} ${vector.name}`

    test(`${name}: reads the root with its bakery version, and writes it so that it reads the same`, () => {
      const root = decodeBakeryMacaroon(vector.root_json)
      assert.equal(root.version, vector.bakery_version)
      assert.deepEqual(decodeBakeryMacaroon(JSON.parse(JSON.stringify(encodeBakeryMacaroon(root)))), root)
      if (vector.root_json_text !== undefined) {
        assert.deepEqual(decodeBakeryMacaroon(JSON.parse(vector.root_json_text)), root)
      }
      const expected = vector.third_party_caveat
      if (expected === undefined) return
      const caveat = root.macaroon.caveats.find((c) => toHex(c.id) === expected.id_hex)
      assert.equal(caveat?.location, expected.location)
      const payload = caveatPayload(root, fromHex(expected.id_hex))
      assert.equal(payload === undefined ? null : toHex(payload), expected.external_payload_hex)
    })

    test(`${name}: the slice with our discharge verifies with the same conditions`, async () => {
      const root = decodeBakeryMacaroon(vector.root_json)
      const theirs = decodeBakeryMacaroon(vector.discharge_json)
      const seen: string[] = []
      const ours: BakeryMacaroon[] = []
      const slice = await dischargeAll(root, async ({ id, caveat }) => {
        const made = await discharge({
          id,
          caveat,
          keyPairs: [thirdParty],
          check: (condition, info) => {
            seen.push(condition)
            assert.equal(info.needDeclared.length > 0, vector.need_declared ?? false)
            const declares = condition !== 'nothing-declared'
            return theirs.macaroon.caveats.map((c) => Buffer.from(c.id).toString()).filter(() => declares)
          },
        })
        ours.push(made)
        return made
      })
      assert.deepEqual(conditionsOf(slice, vector.root_key_hex), vector.expected_conditions_in_order)
      assert.equal(ours[0]?.version, theirs.version)
      // With the same conditions and the same key, our discharge has the same bytes as theirs.
      assert.equal(toHex(ours[0]?.macaroon.signature ?? Buffer.of()), toHex(theirs.macaroon.signature))
      const expected = vector.third_party_caveat?.condition ?? vector.condition_seen_by_discharger
      assert.equal(seen[0], expected)
    })

    test(`${name}: their bound slice verifies in every encoding`, () => {
      for (const [spelling, text] of Object.entries(vector.bound_slice)) {
        const value = spelling === 'json' ? Buffer.from(text).toString('base64') : text
        const read = slicesFromMacaroonsHeader([value])
        assert.deepEqual(read.errors, [])
        assert.equal(read.slices.length, 1)
        const slice = read.slices[0] as UnverifiedSlice
        assert.deepEqual(conditionsOf(slice, vector.root_key_hex), vector.expected_conditions_in_order)
        assert.deepEqual(slicesFromMacaroonsHeader([formatMacaroonsHeader(slice)]).slices, [slice])
      }
      for (const [spelling, text] of Object.entries(vector.bound_slice_binary)) {
        const slice = decodeBinary(spelling === 'hex' ? fromHex(text) : decodeBase64(text))
        assert.deepEqual(conditionsOf(slice, vector.root_key_hex), vector.expected_conditions_in_order)
      }
    })
  }
}

test('vector 04 agent: the login macaroon, discharged with the agent key, is the token of the real client', async () => {
  const { agent } = vectors<{ agent: AgentVector }>('04-bakery-macaroons-py')
  const login = decodeBakeryMacaroon(agent.login_response.macaroon)
  const refuse = (): never => assert.fail('The login macaroon has only a local caveat')
  const slice = await dischargeAll(login, refuse, { localKeyPair: agentKey })
  assert.deepEqual(conditionsOf(slice, agent.root_key_hex), agent.expected_conditions_in_order)
  // pymacaroons writes the empty location of the discharge, so the bytes differ but not the contents.
  const theirs = decodeBinary(fromHex(agent.discharge_token.hex))
  assert.deepEqual(decodeBinary(encodeBinary(...slice)), theirs)
  assert.deepEqual(decodeBinary(decodeBase64(agent.discharge_token.base64_std_padded)), theirs)
})
