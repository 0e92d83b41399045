/** Without OpenSSH: a stub prints a signature that OpenSSH made. openssh.suite.ts runs the real one. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { parsePublicKey } from '../../packages/server/src/release/public-key.ts'
import { ROOT } from '../test/programs.ts'
import { type SignOptions, signRelease } from './sign.ts'

const vectors = join(ROOT, 'packages/server/test/vectors/release')
const vector = (name: string) => readFileSync(join(vectors, name), 'utf8')
const keyIn = (name: string) => parsePublicKey(vector(name), name)
const [TAR, DEB] = ['ratafia-9.1.0-linux-x64.tar.xz', 'ratafia_9.1.0_amd64.deb'] as const

describe('npm run release:sign', () => {
  let root: string
  let sshKeygen: string
  let directory: string
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'ratafia-sign-'))
    sshKeygen = join(root, 'ssh-keygen')
  })
  after(() => rmSync(root, { recursive: true }))
  beforeEach(() => {
    directory = mkdtempSync(join(root, 'release-'))
    cpSync(join(vectors, 'SHA256SUMS'), join(directory, 'SHA256SUMS'))
    writeFileSync(join(directory, TAR), 'program')
    writeFileSync(join(directory, DEB), 'package')
    stub(vector('sha512.sig'))
  })

  /** Installs an `ssh-keygen` that prints this. */
  const stub = (signature: string, code = 0) =>
    writeFileSync(
      sshKeygen,
      `#!${process.execPath}\nprocess.stdout.write(${JSON.stringify(signature)})\nprocess.exitCode = ${code}\n`,
      { mode: 0o755 },
    )
  const sign = (options: Partial<SignOptions> = {}) =>
    signRelease(directory, {
      key: 'KEY',
      compare: undefined,
      sshKeygen,
      keys: [keyIn('next.pub'), keyIn('current.pub')],
      ...options,
    })
  const refuses = async (message: string | RegExp, options: Partial<SignOptions> = {}) => {
    await assert.rejects(sign(options), { name: 'ReleaseError', message })
    assert.equal(existsSync(join(directory, 'SHA256SUMS.sig')), false)
  }

  test('signs with a key of the program', async () => {
    const own = mkdtempSync(join(root, 'own-'))
    cpSync(directory, own, { recursive: true })
    assert.deepEqual(await sign({ compare: own }), {
      version: '9.1.0',
      said: `Signed release 9.1.0 with SHA256:G+pPGfT/AKJdGIlSUYT6lZk3nsiPRj6nzRUCuEgpcEQ: ${directory}/SHA256SUMS.sig\n`,
    })
    assert.equal(readFileSync(join(directory, 'SHA256SUMS.sig'), 'utf8'), vector('sha512.sig'))
    await assert.rejects(sign(), {
      message: `${directory}/SHA256SUMS.sig exists already. Remove it to sign again.`,
    })
  })

  test('refuses to compare a directory with itself', async () => {
    await refuses(`${directory} is the directory to sign. Compare it with your own build.`, {
      compare: directory,
    })
  })

  test('requires --unknown-key for another key, and warns', async () => {
    for (const keys of [[], [keyIn('next.pub')]]) {
      await refuses(/^KEY \(SHA256:\S+\) is not a release key of this program\. .* --unknown-key\.$/, {
        keys,
      })
    }
    const { said } = await sign({ keys: [], unknownKey: true })
    assert.match(said, /^Warning: users need this key .*\nSigned release 9/)
  })

  test("security: names every difference from the maintainer's own build, and does not sign", async () => {
    const own = mkdtempSync(join(root, 'own-'))
    const [tar = '', deb = ''] = vector('SHA256SUMS').split('\n')
    const other = tar.replace('linux-x64.tar.xz', 'extra')
    writeFileSync(join(own, 'SHA256SUMS'), `${deb.replace(/^./, 'a')}\n${other}\n`)
    await refuses(
      [
        `${directory} differs from your own build in ${own}. Nothing is signed.`,
        `  ratafia-9.1.0-extra: only in ${own}`,
        `  ${TAR}: only in ${directory}`,
        `  ${DEB}: other content`,
      ].join('\n'),
      { compare: own },
    )
  })

  test('security: does not sign a list that the files do not match', async () => {
    writeFileSync(join(directory, TAR), 'Program')
    rmSync(join(directory, DEB))
    writeFileSync(join(directory, 'extra'), '')
    await refuses(
      `The files in ${directory} are not those that SHA256SUMS lists:\n  ${TAR}: changed\n  ${DEB}: missing\n  extra: extra`,
    )
  })

  test('security: does not write a signature that does not verify', async () => {
    stub(vector('other-namespace.sig'))
    await refuses(/is a signature for "file"/)
    stub(vector('next.pub.sig'))
    await refuses(/is a signature for "ratafia-release-key"/)
    stub('')
    await refuses(/^What ssh-keygen printed is not a signature/)
    stub(vector('sha512.sig'), 1)
    await refuses('ssh-keygen has not signed. Nothing is written.')
  })

  test('names ssh-keygen if it is missing', async () => {
    rmSync(sshKeygen)
    await refuses(/^ssh-keygen cannot be run: .*ENOENT.* Install OpenSSH\.$/)
  })

  test('exits with 2 for wrong usage, and with 1 if it refuses', () => {
    const run = (...words: string[]) =>
      spawnSync(process.execPath, [join(import.meta.dirname, 'sign.ts'), ...words], { encoding: 'utf8' })
    const help = run('--help')
    assert.deepEqual([help.status, help.stderr], [0, ''])
    const compared = ['--compare', directory]
    for (const words of [
      ...[[], [directory], [directory, '--key'], ['--frob'], [directory, '--key', 'k']],
      ...[
        [directory, ...compared],
        [directory, '--key', 'k', 'x', ...compared],
      ],
      [directory, '--key', 'k', ...compared, '--without-comparison'],
    ]) {
      assert.equal(run(...words).status, 2, words.join(' '))
    }
    const { status, stderr } = run(dirname(directory), '--key', 'k', ...compared)
    assert.equal(status, 1)
    assert.match(stderr, /^There is no \S+SHA256SUMS\. /)
  })
})
