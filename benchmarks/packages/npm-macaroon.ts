// The program that measures npm `macaroon`. See rates.ts. The library can't write every macaroon that it
// reads, because its buffer grows without end, so this program does not write any.

import { createRequire } from 'node:module'
import type { Inputs } from './inputs.ts'
import { printRates } from './rates.ts'

interface PeerMacaroon {
  verify(rootKey: Uint8Array, check: () => null, discharges: readonly PeerMacaroon[]): void
}
interface Peer {
  importMacaroon(value: unknown): PeerMacaroon
  base64ToBytes(text: string): Uint8Array
}
const peer = createRequire(import.meta.url)('macaroon') as Peer

await printRates((inputs: Inputs) => {
  const rootKey = Buffer.from(inputs.rootKey, 'base64')
  const token = new Uint8Array(Buffer.from(inputs.token, 'base64'))
  const read = (text: string) => peer.importMacaroon(JSON.parse(text))
  const readSlice = () => [read(inputs.rootJson), read(inputs.dischargeJson)]
  const check = ([root, ...discharges]: readonly PeerMacaroon[]) =>
    root?.verify(rootKey, () => null, discharges)
  const tokenRead = peer.importMacaroon(token)
  const sliceRead = readSlice()
  return {
    'decode token, binary': () => peer.importMacaroon(token),
    'decode token, JSON': () => read(inputs.tokenJson),
    'decode root and discharge, JSON': readSlice,
    'verify token': () => check([tokenRead]),
    'verify root and discharge': () => check(sliceRead),
    'decode and verify token, base64': () => check([peer.importMacaroon(peer.base64ToBytes(inputs.token))]),
    'decode and verify root and discharge, JSON': () => check(readSlice()),
  }
})
