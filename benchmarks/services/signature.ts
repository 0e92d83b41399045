/** Measures the signature check of an ID token alone (ES256), in its own process, one at a time. */
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { compactVerify, importJWK, SignJWT } from 'jose'
import { repeatOnDemand } from '../harness/repetitions.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const key = await importJWK(publicKey.export({ format: 'jwk' }), 'ES256')
const claims = { iss: 'https://issuer.example.com', jti: randomUUID(), more: 'x'.repeat(600) }
const token = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'a' }).sign(privateKey)
await repeatOnDemand(1, () => compactVerify(token, key))
process.exit()
