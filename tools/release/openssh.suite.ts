// Signatures of releases with the real ssh-keygen, both ways. Needs OpenSSH.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type KeyType, parsePublicKey } from '../../packages/server/src/release/public-key.ts'
import {
  allowedSigners,
  KEY_NAMESPACE,
  RELEASE_NAMESPACE,
  readReleaseKeys,
} from '../../packages/server/src/release/release-keys.ts'
import { sshSigner } from '../../packages/server/test/support/ssh-signer.ts'
import { ratafiaCommand } from '../test/programs.ts'

const root = mkdtempSync(join(tmpdir(), 'ratafia-ssh-'))
after(() => rmSync(root, { recursive: true }))

const at = (name: string) => join(root, name)
const keygen = (words: readonly string[], input = '') =>
  execFileSync('ssh-keygen', words, { cwd: root, input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] })
const run = (file: string, words: readonly string[]) => spawnSync(file, words, { encoding: 'utf8' })

/** Creates a key, and returns the text of its `.pub` file. */
function newKey(name: string): string {
  keygen(['-q', '-t', 'ed25519', '-N', '', '-C', `key ${name}`, '-f', name])
  return readFileSync(at(`${name}.pub`), 'utf8')
}
const current = newKey('current')
const next = newKey('next')

/** Verifies as SECURITY.md says. */
function verifyWithOpenSsh(publicKey: string, message: string, signature: string): void {
  writeFileSync(at('allowed_signers'), allowedSigners([parsePublicKey(publicKey, 'KEY')]))
  writeFileSync(at('given.sig'), signature)
  const words = ['-Y', 'verify', '-f', 'allowed_signers', '-I', 'ratafia', '-n', RELEASE_NAMESPACE]
  assert.match(
    keygen([...words, '-s', 'given.sig'], message),
    /^Good "ratafia-release" signature for ratafia with/,
  )
}

for (const type of ['ssh-ed25519', 'sk-ssh-ed25519@openssh.com'] satisfies readonly KeyType[]) {
  test(`ssh-keygen accepts our signatures by ${type}, so the tests have the right format`, () => {
    for (const hashName of ['sha512', 'sha256']) {
      const signer = sshSigner(type)
      verifyWithOpenSsh(signer.publicKey, 'text\n', signer.sign('text\n', { hashName }))
      assert.throws(() =>
        verifyWithOpenSsh(signer.publicKey, 'text\n', signer.sign('text\n', { namespace: 'file' })),
      )
    }
  })
}

test('the next key is accepted with the signature that ssh-keygen makes of it', () => {
  keygen(['-q', '-Y', 'sign', '-n', KEY_NAMESPACE, '-f', 'current', 'next.pub'])
  const nextSignature = readFileSync(at('next.pub.sig'), 'utf8')
  const texts = { current: current.trimEnd(), next: next.trimEnd(), nextSignature }
  assert.deepEqual(
    readReleaseKeys(texts).map(({ place }) => place),
    ['current', 'next'],
  )
})

test('a release that npm run release:sign signed is accepted by ratafia release verify, and by ssh-keygen', () => {
  const directory = mkdtempSync(at('release-'))
  const name = 'ratafia-9.1.0-linux-x64.tar.xz'
  const files = {
    [name]: 'program',
    'ratafia-9.1.0-build.json': JSON.stringify({ release: '9.1.0', time: 0 }),
  }
  const sums = Object.entries(files).map(([file, text]) => `${hash('sha256', text)}  ${file}\n`)
  for (const [file, text] of Object.entries(files)) writeFileSync(join(directory, file), text)
  writeFileSync(join(directory, 'SHA256SUMS'), sums.join(''))
  const sign = (...options: string[]) =>
    run(process.execPath, [
      join(import.meta.dirname, 'sign.ts'),
      directory,
      '--key',
      at('current'),
      ...options,
    ])
  assert.match(
    sign('--without-comparison').stderr,
    /^\S+ \(SHA256:\S+\) is not a release key of this program\./m,
  )
  assert.match(sign('--compare', directory).stderr, /is the directory to sign/)
  cpSync(directory, at('own'), { recursive: true })
  const signed = sign('--unknown-key', '--compare', at('own'))
  assert.equal(signed.status, 0, signed.stderr)
  const bundled = execFileSync('tar', ['-tf', at('ratafia-9.1.0-offline.tar')], { encoding: 'utf8' })
  for (const file of [...Object.keys(files), 'SHA256SUMS', 'SHA256SUMS.sig']) {
    assert.ok(bundled.split('\n').includes(`ratafia-9.1.0/${file}`), file)
  }
  const [program, ...first] = ratafiaCommand()
  const verified = run(program, [...first, 'release', 'verify', directory, '--key', at('current.pub')])
  assert.equal(verified.status, 0, verified.stderr)
  assert.match(
    verified.stdout,
    /^Release 9\.1\.0, signed with the key in .*\n(ok {7}ratafia-9\.1\.0-\S+\n){2}$/,
  )
  verifyWithOpenSsh(current, sums.join(''), readFileSync(join(directory, 'SHA256SUMS.sig'), 'utf8'))
  const other = run(program, [...first, 'release', 'verify', directory, '--key', at('next.pub')])
  assert.equal(other.status, 1)
})
