import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { armored, sshSigner } from '../../test/support/ssh-signer.ts'
import { type KeyType, parsePublicKey } from './public-key.ts'
import { ReleaseError } from './release-error.ts'
import { parseSignature, verifySignature } from './signature.ts'

const vector = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../test/vectors/release', name), 'latin1')

const SIGNED = 'the text'

/** Returns the key's line. Throws {@link ReleaseError} unless this is a signature of the message by one of the keys. */
const verified = (signature: string, message: string, ...publicKeys: readonly string[]) =>
  verifySignature(
    parseSignature(signature, 'F.sig'),
    { message: Buffer.from(message, 'latin1'), name: 'F', namespace: 'ratafia-release' },
    publicKeys.map((text) => parsePublicKey(text, 'KEY')),
  ).line

const TYPES: readonly KeyType[] = ['ssh-ed25519', 'sk-ssh-ed25519@openssh.com']
const SIGNERS = new Map(TYPES.map((type) => [type, sshSigner(type)]))

for (const name of ['sha512.sig', 'sha256.sig']) {
  test(`verifies ${name} of ssh-keygen with the key that made it`, () => {
    const [current, next] = [vector('current.pub'), vector('next.pub')]
    assert.equal(`${verified(vector(name), vector('SHA256SUMS'), next, current)}\n`, current)
  })
}

for (const [type, signer] of SIGNERS) {
  test(`verifies a signature by ${type}`, () => {
    assert.equal(`${verified(signer.sign(SIGNED), SIGNED, signer.publicKey)}\n`, signer.publicKey)
  })
}

/** Returns every copy of the text with one bit changed. */
function* flipped(text: string): Generator<string> {
  const bytes = Buffer.from(text, 'latin1')
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const copy = Buffer.from(bytes)
    copy.writeUInt8(copy.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
    yield copy.toString('latin1')
  }
}

const GIVEN: readonly (readonly [what: string, signature: string, message: string, publicKey: string])[] = [
  ['of ssh-keygen', vector('sha512.sig'), vector('SHA256SUMS'), vector('current.pub')],
  ...[...SIGNERS].map(([type, signer]) => [type, signer.sign(SIGNED), SIGNED, signer.publicKey] as const),
]
for (const [what, signature, message, publicKey] of GIVEN) {
  test(`security: a signature ${what} with any bit changed, or cut anywhere, is refused`, () => {
    for (const changed of flipped(signature)) {
      assert.throws(() => verified(changed, message, publicKey), ReleaseError, changed)
    }
    for (let end = 0; end < signature.length; end++) {
      assert.throws(() => verified(signature.slice(0, end), message, publicKey), ReleaseError)
    }
  })

  test(`security: a binary signature ${what} with any bit changed, or cut anywhere, is refused`, () => {
    const blob = Buffer.from(signature.split('\n').slice(1, -2).join(''), 'base64').toString('latin1')
    const again = (bytes: string) => armored(Buffer.from(bytes, 'latin1').toString('base64'))
    assert.equal(again(blob), signature)
    for (const changed of flipped(blob)) {
      assert.throws(() => verified(again(changed), message, publicKey), ReleaseError)
    }
    for (let end = 0; end < blob.length; end++) {
      assert.throws(() => verified(again(blob.slice(0, end)), message, publicKey), ReleaseError)
    }
  })

  test(`security: with any bit of the signed text changed, a signature ${what} is refused`, () => {
    for (const changed of flipped(message)) {
      assert.throws(() => verified(signature, changed, publicKey), /^ReleaseError: .* does not fit F\./)
    }
  })
}

// Each of these is signed by the right key.
for (const [type, signer] of SIGNERS) {
  const other = TYPES.find((one) => one !== type) ?? ''
  for (const [parts, message] of [
    [{ magic: 'SSHSIX' }, 'it does not begin with SSHSIG'],
    [{ version: 2 }, 'its format has version 2, and only 1 is known'],
    [{ reserved: 'x' }, 'its reserved field is not empty'],
    [{ hashName: 'sha1' }, 'it uses the hash "sha1"'],
    [{ hashName: 'sha384' }, 'it uses the hash "sha384"'],
    [{ end: 'x' }, 'it continues after its end'],
    [{ innerEnd: 'x' }, 'it continues after its end'],
    [{ type: 'ssh-rsa' }, 'it has the type "ssh-rsa", which is not Ed25519'],
    [{ namespace: 'a\n' }, 'a name in it is not ASCII'],
  ] as const) {
    test(`security: a signature by ${type} is refused: ${message} (${Object.keys(parts)})`, () => {
      assert.throws(() => verified(signer.sign(SIGNED, parts), SIGNED, signer.publicKey), {
        message: `F.sig is not a signature that \`ssh-keygen -Y sign\` made: ${message}. Download it again.`,
      })
    })
  }
  // The part that a security key adds, without which the type could not be read.
  const innerEnd = type === 'ssh-ed25519' ? '\x01\0\0\0\x07' : ''
  test(`security: a signature by ${type} with the type ${other} is refused`, () => {
    const signature = signer.sign(SIGNED, { type: other, innerEnd })
    assert.throws(() => verified(signature, SIGNED, signer.publicKey), ReleaseError)
  })
}

for (const [what, armor] of [
  ['with CR LF', (text: string) => text.replaceAll('\n', '\r\n')],
  ['with a line before it', (text: string) => `\n${text}`],
  ['with a line after it', (text: string) => `${text}\n`],
  ['without the last newline', (text: string) => text.trimEnd()],
  ['with an empty line in it', (text: string) => text.replace('\nU1NI', '\n\nU1NI')],
  ['with a space in it', (text: string) => text.replace('\nU1NI', '\n U1NI')],
  ['without base64', () => '-----BEGIN SSH SIGNATURE-----\n-----END SSH SIGNATURE-----\n'],
  ['of another kind', (text: string) => text.replaceAll('SSH', 'PGP')],
] as const) {
  test(`security: an armored signature ${what} is refused`, () => {
    assert.throws(() => parseSignature(armor(vector('sha512.sig')), 'F.sig'), {
      name: 'ReleaseError',
      message: /^F\.sig is not a signature that `ssh-keygen -Y sign` made: .+\. Download it again\.$/,
    })
  })
}

test('security: a signature of over 4096 bytes is refused before its base64 is decoded', () => {
  const lines = `${'A'.repeat(64)}\n`.repeat(64)
  const armor = `-----BEGIN SSH SIGNATURE-----\n${lines}-----END SSH SIGNATURE-----\n`
  assert.throws(() => parseSignature(armor, 'F.sig'), /: it is too long\./)
})

test('security: a signature by another key, or for another purpose, is refused', () => {
  const [sums, current, next] = [vector('SHA256SUMS'), vector('current.pub'), vector('next.pub')]
  assert.throws(() => verified(vector('sha512.sig'), sums, next), {
    message: /^F\.sig is signed with SHA256:\S{43}, which is not one of the keys SHA256:\S{43}\. Do not use/,
  })
  assert.throws(() => verified(vector('other-namespace.sig'), sums, current), {
    message: 'F.sig is a signature for "file", not for "ratafia-release". Do not use these files.',
  })
})

test('security: a signature by a security key without a touch is refused', () => {
  const signer = sshSigner('sk-ssh-ed25519@openssh.com')
  // 0x04: the security key asked for a PIN.
  for (const flags of [0x01, 0x05]) verified(signer.sign(SIGNED, { flags }), SIGNED, signer.publicKey)
  for (const flags of [0x00, 0x04]) {
    assert.throws(() => verified(signer.sign(SIGNED, { flags }), SIGNED, signer.publicKey), /without a touch/)
  }
})
