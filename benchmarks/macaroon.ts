/**
 * Side by side with npm `macaroon` in one process: `node benchmarks/macaroon.ts`. Prints operations per second of each,
 * and how many times as fast ours is. Asserts nothing: on a shared machine only the ratio is meaningful.
 */
import { createRequire } from 'node:module'
import {
  addFirstPartyCaveat,
  addThirdPartyCaveat,
  bindDischarge,
  decodeBinary,
  decodeJson,
  encodeBinary,
  encodeJson,
  type Macaroon,
  mint,
  type UnverifiedSlice,
  verify,
} from '../packages/macaroon/src/index.ts'

interface PeerMacaroon {
  exportJSON(): unknown
  verify(rootKey: Uint8Array, check: () => null, discharges: PeerMacaroon[]): void
}
interface Peer {
  importMacaroon(value: unknown): PeerMacaroon
}
const peer = createRequire(import.meta.url)('macaroon') as Peer

const SECONDS = 1
const ROUNDS = 3

const rootKey = Buffer.alloc(32, 1)
const caveatKey = Buffer.alloc(24, 2)
const add = (m: Macaroon, conditions: readonly string[]): Macaroon =>
  conditions.reduce<Macaroon>((made, c) => addFirstPartyCaveat(made, c), m)

/** Five first-party caveats and a third-party one; a discharge with two. */
function slice(): UnverifiedSlice {
  const start = add(mint({ rootKey, id: Buffer.alloc(38, 3), location: 'api.example' }), [
    'time-before 2100-01-01T00:00:00.000000Z',
    'time-since 2025-01-01T00:00:00.000000Z',
    'session-id 9f050d3a-e724-49a1-b582-fa86bdb4a52d',
  ])
  const id = Buffer.alloc(147, 4)
  const root = add(addThirdPartyCaveat(start, { rootKey: caveatKey, id, location: 'https://id.example' }), [
    'extra {"channel": null, "package_id": null, "acl": ["package_access"], "store_ids": null}',
    'declared a b',
  ])
  const discharge = add(mint({ rootKey: caveatKey, id }), [
    'declared userid abc',
    'time-before 2100-01-01T00:00:00.000000Z',
  ])
  return [root, bindDischarge(root, discharge)]
}

function perSecond(run: () => unknown): number {
  const begin = performance.now()
  let runs = 0
  while (performance.now() - begin < SECONDS * 1000) {
    for (let i = 0; i < 100; i++) run()
    runs += 100
  }
  return runs / ((performance.now() - begin) / 1000)
}

/** The best of several rounds, taken in turns so that both see the same noise. */
function compare(what: string, ours: () => unknown, theirs: () => unknown): void {
  let best: [ours: number, theirs: number] = [0, 0]
  for (let round = 0; round < ROUNDS; round++) {
    best = [Math.max(best[0], perSecond(ours)), Math.max(best[1], perSecond(theirs))]
  }
  const [a, b] = best.map((n) => Math.round(n).toLocaleString('en').padStart(9))
  const ratio = (best[0] / best[1]).toFixed(1)
  process.stdout.write(`${what.padEnd(22)} ours ${a}/s   npm macaroon ${b}/s   ${ratio} times as fast\n`)
}

const [root, discharge] = slice()
if (discharge === undefined) throw new Error('The slice has a discharge')
const text = [root, discharge].map((m) => JSON.stringify(encodeJson(m)))
const binary = [encodeBinary(root), encodeBinary(discharge)]
const read = (texts: readonly string[]): UnverifiedSlice =>
  texts.map((t) => decodeJson(JSON.parse(t))) as unknown as UnverifiedSlice
const peerRead = (texts: readonly string[]): PeerMacaroon[] =>
  texts.map((t) => peer.importMacaroon(JSON.parse(t)))
const peerVerify = ([first, ...rest]: PeerMacaroon[]): void => first?.verify(rootKey, () => null, rest)
const peerParsed = peerRead(text)

compare(
  'verify',
  () => verify([root, discharge], rootKey),
  () => peerVerify(peerParsed),
)
compare(
  'read JSON',
  () => read(text),
  () => peerRead(text),
)
compare(
  'read binary',
  () => binary.map((b) => decodeBinary(b)),
  () => binary.map((b) => peer.importMacaroon(b)),
)
compare(
  'read JSON and verify',
  () => verify(read(text), rootKey),
  () => peerVerify(peerRead(text)),
)
