/**
 * An issuer of ID tokens in one file, to try logins of CI jobs without a platform. Writes three files to DIRECTORY: its
 * key, the public key in jwks.json for `ratafia issuers add --jwks`, and id-token, which is valid for five minutes.
 *
 *   npx --no-install node examples/ci/issuer.ts DIRECTORY AUDIENCE
 *
 * AUDIENCE is the service's RATAFIA_BASE_URL. A second run writes a new ID token with the same key.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [directory, audience] = process.argv.slice(2)
if (!directory || !audience) {
  process.stderr.write('Usage: npx --no-install node examples/ci/issuer.ts DIRECTORY AUDIENCE\n')
  process.exit(2)
}

const file = join(directory, 'issuer.pem')
if (!existsSync(file)) {
  mkdirSync(directory, { recursive: true })
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
}
const key = createPrivateKey(readFileSync(file))
const publicKey = {
  ...createPublicKey(key).export({ format: 'jwk' }),
  kid: 'try-it',
  use: 'sig',
  alg: 'ES256',
}
writeFileSync(join(directory, 'jwks.json'), JSON.stringify({ keys: [publicKey] }))

const now = Math.floor(Date.now() / 1000)
const claims = {
  iss: 'https://builds.example',
  aud: audience,
  sub: 'hello-release',
  iat: now,
  exp: now + 300,
  jti: randomUUID(),
}
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const signed = `${encode({ alg: 'ES256', kid: publicKey.kid, typ: 'JWT' })}.${encode(claims)}`
const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }).toString(
  'base64url',
)
writeFileSync(join(directory, 'id-token'), `${signed}.${signature}\n`, { mode: 0o600 })
process.stderr.write(`${directory} has jwks.json, and id-token, which expires in 5 minutes.\n`)
