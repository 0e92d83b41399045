/** Measures RSA alone, in its own process: `verify 2048` or `sign 4096`, one at a time. */
import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { repeatOnDemand } from '../harness/repetitions.ts'

const [, , what, bits] = process.argv
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: Number(bits) })
const content = Buffer.alloc(1_000, 'x')
const signature = sign('sha512', content, privateKey)
const WORK: Readonly<Record<string, () => unknown>> = {
  sign: () => sign('sha512', content, privateKey),
  verify: () => verify('sha512', content, publicKey, signature),
}
const work = WORK[what ?? '']
if (!work) throw new TypeError('the argument must be sign or verify')
await repeatOnDemand(1, work)
process.exit()
