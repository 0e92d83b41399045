import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sshSigner } from '../../test/support/ssh-signer.ts'
import { RELEASE_KEYS } from './keys.ts'
import { fingerprintOf, parsePublicKey } from './public-key.ts'
import { allowedSigners, readReleaseKeys } from './release-keys.ts'
import { wireString } from './wire.ts'

const vector = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../test/vectors/release', name), 'latin1')
const line = (name: string) => vector(name).trimEnd()

const TEXTS = {
  current: line('current.pub'),
  next: line('next.pub'),
  nextSignature: vector('next.pub.sig'),
}

test('the keys of this program can be read, so the current one has signed the next one', () => {
  assert.ok([0, 2].includes(readReleaseKeys(RELEASE_KEYS).length))
})

test('reads both keys, and prints them as allowed signers', () => {
  const keys = readReleaseKeys(TEXTS)
  assert.deepEqual(
    keys.map(({ place, blob }) => [place, fingerprintOf(blob)]),
    [
      ['current', 'SHA256:G+pPGfT/AKJdGIlSUYT6lZk3nsiPRj6nzRUCuEgpcEQ'],
      ['next', 'SHA256:ik4ankwdBW293le8qGEjTBtmAUZT26wItc+WGitgugM'],
    ],
  )
  assert.equal(
    allowedSigners(keys),
    `ratafia namespaces="ratafia-release" ${TEXTS.current}\nratafia namespaces="ratafia-release" ${TEXTS.next}\n`,
  )
})

test('security: a next key that the current one has not signed is refused', () => {
  const other = sshSigner()
  for (const [texts, message] of [
    [{ next: other.publicKey.trimEnd() }, /does not fit the next key/],
    [{ next: `${TEXTS.next}x` }, /does not fit the next key/],
    [
      { nextSignature: other.sign(vector('next.pub'), { namespace: 'ratafia-release-key' }) },
      /is signed with/,
    ],
    [{ nextSignature: vector('sha512.sig') }, /is a signature for "ratafia-release", not for/],
    [{ nextSignature: '' }, /The next key's signature is not a signature/],
    [{ current: '' }, /The current key is not a public key/],
  ] as const) {
    assert.throws(() => readReleaseKeys({ ...TEXTS, ...texts }), message)
  }
})

const ed25519 = (...parts: readonly (string | Uint8Array)[]) =>
  Buffer.concat(parts.map(wireString)).toString('base64')
const RAW = new Uint8Array(32)
const SECURITY_KEY = ed25519('sk-ssh-ed25519@openssh.com', RAW, 'ssh:')
assert.match(SECURITY_KEY, /o=$/)
for (const [what, text] of [
  ['nothing', ''],
  ['two lines', `${vector('current.pub')}${vector('next.pub')}`],
  ['CR LF', `${TEXTS.current}\r\n`],
  ['an option of allowed signers', `namespaces="file" ${TEXTS.current}`],
  ['a comment with a control character', `${TEXTS.current}\x1b[2J`],
  ['a space at the end', `${TEXTS.current} `],
  ['RSA', `ssh-rsa ${ed25519('ssh-rsa', RAW)}`],
  ['a private key', '-----BEGIN OPENSSH PRIVATE KEY-----\n'],
  ['another type inside', `ssh-ed25519 ${ed25519('sk-ssh-ed25519@openssh.com', RAW, 'ssh:')}`],
  ['an unknown type inside', `ssh-ed25519 ${ed25519('ssh-rsa', RAW)}`],
  ['33 bytes', `ssh-ed25519 ${ed25519('ssh-ed25519', new Uint8Array(33))}`],
  ['more after the key', `ssh-ed25519 ${ed25519('ssh-ed25519', RAW, '')}`],
  ['no application', `sk-ssh-ed25519@openssh.com ${ed25519('sk-ssh-ed25519@openssh.com', RAW)}`],
  ['last bits that are not zero', `sk-ssh-ed25519@openssh.com ${SECURITY_KEY.replace(/o=$/, 'p=')}`],
  [
    'URL-safe base64',
    `ssh-ed25519 ${ed25519(
      'ssh-ed25519',
      RAW.map(() => 255),
    ).replaceAll('/', '_')}`,
  ],
  ['1025 characters', `${TEXTS.current} ${'x'.repeat(1025 - TEXTS.current.length - 1)}`],
] as const) {
  test(`security: a public key with ${what} is refused`, () => {
    assert.throws(() => parsePublicKey(text, 'K.pub'), {
      name: 'ReleaseError',
      message:
        /^K\.pub is not a public key of OpenSSH with Ed25519: .+\. Give the \.pub file that ssh-keygen wrote/,
    })
  })
}
