import assert from 'node:assert/strict'
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readPrivateKey } from './signing-key-secret.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
const publicPem = publicKey.export({ format: 'pem', type: 'spki' }).toString()
const block = (label: string, body = 'AAAA') => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`
/** Returns the DER of an encrypted key with this algorithm. Its content doesn't matter. */
const encryptedWith = (id: string) => {
  const algorithm = Buffer.from(id, 'hex')
  const parts = Buffer.concat([
    Buffer.of(0x30, algorithm.length),
    algorithm,
    Buffer.of(4, 8),
    Buffer.alloc(8, 7),
  ])
  return block(
    'ENCRYPTED PRIVATE KEY',
    Buffer.concat([Buffer.of(0x30, parts.length), parts]).toString('base64'),
  )
}
const certificate = block('CERTIFICATE')
const { raw: derCertificate } = new X509Certificate(
  readFileSync(new URL('../../../test/data/issuer-tls.pem', import.meta.url)),
)
const weak =
  /^k\.pem is encrypted with an algorithm that is too weak .*`openssl pkey -provider default -provider legacy /

const FILES: readonly (readonly [what: string, file: string | Buffer, message: RegExp])[] = [
  ['an empty file', '', /^k\.pem is empty\./],
  ['white space only', ' \r\n', /^k\.pem is empty\./],
  ['a key of OpenSSH', block('OPENSSH PRIVATE KEY'), /OpenSSH.*`ssh-keygen -p -m PKCS8 -f FILE`/],
  ['PGP, public', block('PGP PUBLIC KEY BLOCK'), /PGP public key.*--export-secret-keys/],
  ['PGP, binary', Buffer.of(0x95, 3, 0x98, 4), /PGP key in binary.*gpg --armor/],
  ['a certificate', certificate, /is a certificate\. Give the private key/],
  ['a certificate request', block('CERTIFICATE REQUEST'), /is a certificate request\./],
  ['a public key', publicPem, /is a public key\./],
  [
    'a public key, PKCS#1',
    publicKey.export({ format: 'pem', type: 'pkcs1' }).toString(),
    /is a public key\./,
  ],
  ['a public key of OpenSSH', 'ssh-rsa AAAAB3Nza me@here\n', /is a public key\./],
  ['a public key, DER', publicKey.export({ format: 'der', type: 'spki' }), /is a public key\./],
  ['JWK', JSON.stringify(privateKey.export({ format: 'jwk' })), /is a key in JSON \(JWK\)/],
  [
    'DER',
    privateKey.export({ format: 'der', type: 'pkcs8' }),
    /in binary \(DER\).*`openssl pkey -inform DER/,
  ],
  ['DER, PKCS#1', privateKey.export({ format: 'der', type: 'pkcs1' }), /in binary \(DER\)/],
  [
    'DER, encrypted',
    privateKey.export({ format: 'der', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' }),
    /is an encrypted private key in binary \(DER\)/,
  ],
  [
    'PKCS#12',
    Buffer.from('3080020103308006092a864886f70d010701', 'hex'),
    /is a PKCS#12 file\. .*`openssl pkcs12/,
  ],
  ['PBE-MD5-DES', encryptedWith('06092a864886f70d010503'), weak],
  ['PBE-SHA1-RC2', encryptedWith('06092a864886f70d01050b'), weak],
  ['PBE-SHA1-RC2-40', encryptedWith('060a2a864886f70d010c0106'), weak],
  ['PBES2 with DES', encryptedWith('06092a864886f70d01050d06052b0e030207'), weak],
  [
    'PKCS#1 under DES',
    block('RSA PRIVATE KEY', 'Proc-Type: 4,ENCRYPTED\nDEK-Info: DES-CBC,0123\n\nAAAA'),
    weak,
  ],
  ...['01', '04', '06', '0a'].map(
    (last) => [`PBE ${last}`, encryptedWith(`06092a864886f70d0105${last}`), weak] as const,
  ),
  ...['01', '02', '05'].map(
    (last) => [`PBE of PKCS#12 ${last}`, encryptedWith(`060a2a864886f70d010c01${last}`), weak] as const,
  ),
  ['PBES2 with RC2', encryptedWith('06092a864886f70d01050d06082a864886f70d0302'), weak],
  ...['RC2-CBC', 'IDEA-CBC', 'SEED-CBC', 'CAST5-CBC', 'BF-CBC'].map(
    (name) =>
      [
        `PKCS#1 under ${name}`,
        block('RSA PRIVATE KEY', `Proc-Type: 4,ENCRYPTED\nDEK-Info: ${name},0123\n\nAAAA`),
        weak,
      ] as const,
  ),
  ...[0x94, 0x96, 0x97, 0xc5].map(
    (first) => [`PGP, binary (${first})`, Buffer.of(first, 3, 4), /PGP key in binary/] as const,
  ),
  ...['X509 CERTIFICATE', 'TRUSTED CERTIFICATE'].map(
    (label) => [label, block(label), /is a certificate\./] as const,
  ),
  ['a certificate, DER', derCertificate, /is a certificate\. Give the private key/],
  ['a new certificate request', block('NEW CERTIFICATE REQUEST'), /is a certificate request\./],
  ['a public key of OpenSSH, ECDSA', 'ecdsa-sha2-nistp256 AAAA me@here\n', /is a public key\./],
  [
    'a truncated file',
    pem.slice(0, 400),
    /^k\.pem has no private key that can be read\. Give an RSA private key/,
  ],
  ['two keys', pem + pem, /^k\.pem contains 2 private keys\. Give a file with only the one to use\.$/],
]
for (const [what, file, message] of FILES) {
  for (const passphrase of [undefined, 'correct horse']) {
    test(`names ${what} in its refusal, ${passphrase ? 'with' : 'without'} a passphrase`, async () => {
      const given = { name: 'k.pem', bytes: Buffer.from(file) }
      await assert.rejects(readPrivateKey(given, passphrase), { code: 'invalid-field', message })
    })
  }
}

for (const [what, file, passphrase] of [
  ['PKCS#8', pem, undefined],
  ['PKCS#8 before a certificate', pem + certificate, undefined],
  ['PKCS#8 behind a public key', publicPem + pem, undefined],
  ['PKCS#1', privateKey.export({ format: 'pem', type: 'pkcs1' }).toString(), undefined],
  ...(['aes-256-cbc', 'aes-128-cbc', 'des-ede3-cbc'] as const).map(
    (cipher) =>
      [
        cipher,
        privateKey.export({ format: 'pem', type: 'pkcs8', cipher, passphrase: 'p' }).toString(),
        'p',
      ] as const,
  ),
] as const) {
  test(`reads ${what}`, async () => {
    const key = await readPrivateKey({ name: 'k.pem', bytes: Buffer.from(file) }, passphrase)
    assert.equal(key.publicKey.bits, 2048)
  })
}

test('reports a wrong passphrase', async () => {
  const cipher = { cipher: 'aes-256-cbc', passphrase: 'right' }
  const bytes = Buffer.from(privateKey.export({ format: 'pem', type: 'pkcs8', ...cipher }))
  const refusal = { code: 'invalid-field', message: 'k.pem cannot be decrypted; is the passphrase right?' }
  await assert.rejects(readPrivateKey({ name: 'k.pem', bytes }, 'wrong'), refusal)
})

for (const type of ['ec', 'ed25519'] as const) {
  test(`names the algorithm ${type} in its refusal`, async () => {
    const other =
      type === 'ec' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519')
    const bytes = Buffer.from(other.privateKey.export({ format: 'pem', type: 'pkcs8' }))
    await assert.rejects(readPrivateKey({ name: 'k.pem', bytes }, undefined), {
      code: 'invalid-field',
      message: new RegExp(
        `^k\\.pem cannot be used: the public key is not an RSA key but ${type}\\. Give an RSA private key`,
      ),
    })
  })
}
