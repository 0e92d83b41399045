import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import fc from 'fast-check'
import { sampled } from '../../../tools/test/effort.ts'
import {
  decodeBinary,
  decodeJson,
  encodeBinary,
  encodeJson,
  type Macaroon,
  type UnverifiedSlice,
  verify,
} from '../src/index.ts'
import { plainMacaroon, slice } from './arbitraries.ts'

/** The used part of npm `macaroon` 3.0.4, which has no types and reads neither version 1 binary nor binary slices. */
interface PeerMacaroon {
  exportJSON(): Record<string, unknown>
  exportBinary(): Uint8Array
  verify(rootKey: Uint8Array, check: (condition: string) => null, discharges: PeerMacaroon[]): void
}
interface Peer {
  importMacaroon(value: unknown): PeerMacaroon
}
const peer = createRequire(import.meta.url)('macaroon') as Peer

const json = (m: Macaroon): unknown => JSON.parse(JSON.stringify(encodeJson(m)))

/** Verifies with the peer and returns the conditions that it asked about, in order. */
function peerVerify(slice: readonly PeerMacaroon[], rootKey: Uint8Array): string[] {
  const [root, ...discharges] = slice
  const conditions: string[] = []
  const note = (condition: string): null => {
    conditions.push(condition)
    return null
  }
  root?.verify(rootKey, note, discharges)
  return conditions
}

// The peer's decoder drops a byte order mark that its encoder writes, which changes the signed bytes.
const readable = (m: Macaroon): boolean =>
  [m.id, ...m.caveats.map((c) => c.id)].every((id) => !Buffer.from(id).includes('\ufeff'))

test('npm macaroon reads our version 2 JSON and binary, and we read its output', () => {
  fc.assert(
    fc.property(plainMacaroon, ({ rootKey, macaroon, conditions }) => {
      fc.pre(macaroon.version === 2 && readable(macaroon))
      for (const theirs of [
        peer.importMacaroon(json(macaroon)),
        peer.importMacaroon(encodeBinary(macaroon)),
      ]) {
        assert.deepEqual(peerVerify([theirs], rootKey), conditions)
        const back = decodeJson(theirs.exportJSON())
        assert.deepEqual(back, macaroon)
        // The peer's buffer doubles with every field that it writes, so a few caveats would need gigabytes.
        if (macaroon.caveats.length <= 1) assert.deepEqual(decodeBinary(theirs.exportBinary()), [macaroon])
      }
    }),
    sampled(600),
  )
})

test('npm macaroon verifies our slices with the same conditions, and refuses those that we refuse', () => {
  fc.assert(
    fc.property(slice, ({ rootKey, slice, conditions }) => {
      fc.pre(slice.every(readable))
      const theirs = slice.map((m) => peer.importMacaroon(json(m)))
      assert.deepEqual(peerVerify(theirs, rootKey), conditions)
      const without = slice.slice(0, 2) as unknown as UnverifiedSlice
      assert.throws(() => verify(without, rootKey))
      assert.throws(() => peerVerify(theirs.slice(0, 2), rootKey))
    }),
    sampled(2000),
  )
})
