/** `ratafia release`, as someone who has downloaded a release runs it. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { RELEASE_KEYS } from '../../src/release/keys.ts'
import { RELEASE } from '../../src/start/release/release.ts'
import { testProgram } from '../support/program.ts'
import { sshSigner } from '../support/ssh-signer.ts'

const vectors = join(import.meta.dirname, '../vectors/release')

describe('ratafia release', () => {
  const program = testProgram()
  const signer = sshSigner()
  const FILES = (version: string): Readonly<Record<string, string>> => ({
    [`ratafia-${version}-linux-x64.tar.xz`]: 'program',
    [`ratafia_${version.replace('-', '~')}_amd64.deb`]: 'package',
  })
  const [TAR = '', DEB = ''] = Object.keys(FILES('9.1.0'))
  let key: string
  before(async () => {
    key = join(program.directory, 'release.pub')
    await writeFile(key, signer.publicKey)
  })

  /** Writes the files into a new directory with a signed list of them. Returns its path. */
  async function release(files: Readonly<Record<string, string>>, by = signer): Promise<string> {
    const directory = join(program.directory, `release-${count++}`)
    await mkdir(directory)
    for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content)
    const sums = Object.entries(files).map(([name, content]) => `${hash('sha256', content)}  ${name}\n`)
    await writeFile(join(directory, 'SHA256SUMS'), sums.join(''))
    await writeFile(join(directory, 'SHA256SUMS.sig'), by.sign(sums.join('')))
    return directory
  }
  let count = 0

  const verify = (directory: string, options = '') => `release verify ${directory} --key ${key} ${options}`

  test('verifies a release that ssh-keygen signed', async () => {
    const directory = join(program.directory, 'vector')
    await mkdir(directory)
    await cp(join(vectors, 'SHA256SUMS'), join(directory, 'SHA256SUMS'))
    await cp(join(vectors, 'sha512.sig'), join(directory, 'SHA256SUMS.sig'))
    for (const [name, content] of Object.entries(FILES('9.1.0'))) {
      await writeFile(join(directory, name), content)
    }
    const current = join(vectors, 'current.pub')
    const fingerprint = 'SHA256:G+pPGfT/AKJdGIlSUYT6lZk3nsiPRj6nzRUCuEgpcEQ'
    await program.says(
      `release verify ${directory} --key ${current}`,
      `Release 9.1.0, signed with the key in ${current}, ${fingerprint}\nok       ${TAR}\nok       ${DEB}\n`,
    )
    assert.deepEqual(await program.json(`release verify ${directory} --key ${current}`), {
      version: '9.1.0',
      key: { place: null, fingerprint },
      complete: true,
      files: [
        { name: TAR, state: 'ok' },
        { name: DEB, state: 'ok' },
      ],
    })
    const input = await readFile(current)
    await program.says(`release verify ${directory} --key -`, /^ok /m, { input })
  })

  test('verifies a release signed by a security key', async () => {
    const device = sshSigner('sk-ssh-ed25519@openssh.com')
    const file = join(program.directory, 'device.pub')
    await writeFile(file, device.publicKey)
    await program.says(`release verify ${await release(FILES('9.1.0'), device)} --key ${file}`, /^ok /m)
  })

  test('security: without --key, only the release keys in the program count', async () => {
    const hasKeys = RELEASE_KEYS.current !== ''
    const none =
      'ratafia: This build of Ratafia has no release keys. Verify with one that you trust: `ratafia release verify DIRECTORY --key FILE.pub`.\n'
    await program.refuses(
      `release verify ${await release(FILES('9.1.0'))}`,
      hasKeys ? /, which is not one of the keys SHA256:/ : none,
    )
    if (hasKeys)
      await program.says('release keys', /^(ratafia namespaces="ratafia-release" \S*ssh-ed.+\n){2}$/)
    else await program.refuses('release keys', none)
  })

  /** Runs the command, which must exit with 1. Returns its lines, without the first one and those of files that are ok. */
  async function findings(directory: string, options = ''): Promise<readonly string[]> {
    const { code, stdout, stderr } = await program.run(verify(directory, options))
    assert.equal(code, 1)
    return [...stdout.split('\n').slice(1, -1), ...stderr.split('\n').slice(0, -1)].filter(
      (line) => !line.startsWith('ok '),
    )
  }
  const summary = (directory: string, files: string) =>
    `ratafia: ${files} in ${directory} ${files === '1 file' ? 'is not as' : 'are not as'} in the release. Do not use the directory before all are ok.`

  test('security: names each changed, missing and extra file, with what to do', async () => {
    const directory = await release({ ...FILES('9.1.0'), 'ratafia-9.1.0.map': 'map' })
    await writeFile(join(directory, TAR), 'Program')
    await rm(join(directory, DEB))
    await writeFile(join(directory, 'a\x1b[2J'), '')
    assert.deepEqual(await findings(directory), [
      `CHANGED  ${TAR}: its content is not that of the release. Download it again.`,
      `MISSING  ${DEB}: download it, or pass --ignore-missing.`,
      'EXTRA    a?[2J: it is not part of the release. Remove it.',
      summary(directory, '3 files'),
    ])
    const { stdout, stderr } = await program.run(verify(directory, '--json'))
    assert.deepEqual(
      JSON.parse(stdout).files.map(({ state }: { state: string }) => state),
      ['changed', 'missing', 'ok', 'extra'],
    )
    assert.equal(JSON.parse(stderr).error.code, 'release')
  })

  test('security: a file of the same length as the right one, changed at its end, is refused', async () => {
    const content = 'x'.repeat(1_000_000)
    const directory = await release({ [TAR]: content })
    await program.says(verify(directory), /^ok /m)
    await writeFile(join(directory, TAR), `${content.slice(1)}y`)
    assert.equal((await findings(directory)).length, 2)
  })

  test('security: a link, a directory and a pipe in place of a file are refused', async () => {
    for (const replace of [
      (path: string) => symlink(join(program.directory, 'same'), path),
      (path: string) => mkdir(path),
      async (path: string) => assert.equal(spawnSync('mkfifo', [path]).status, 0),
    ]) {
      await writeFile(join(program.directory, 'same'), 'program')
      const directory = await release(FILES('9.1.0'))
      await rm(join(directory, TAR))
      await replace(join(directory, TAR))
      assert.deepEqual(await findings(directory), [
        `NO FILE  ${TAR}: it is a link, a directory or a device. Replace it by the file of the release.`,
        summary(directory, '1 file'),
      ])
      for (const name of ['SHA256SUMS', 'SHA256SUMS.sig']) {
        const other = await release(FILES('9.1.0'))
        await rm(join(other, name))
        await replace(join(other, name))
        await program.refuses(
          verify(other),
          `ratafia: ${join(other, name)} is not a plain file. Replace it by the file of the release.\n`,
        )
      }
    }
  })

  test('--ignore-missing accepts some of the files, but not none, a changed one or an extra one', async () => {
    const directory = await release(FILES('9.1.0'))
    await rm(join(directory, DEB))
    await program.says(
      verify(directory, '--ignore-missing'),
      /^ok {7}ratafia-9.*\nmissing {2}ratafia_9\S+\n$/m,
    )
    await writeFile(join(directory, 'extra'), '')
    assert.equal((await findings(directory, '--ignore-missing')).at(-1), summary(directory, '1 file'))
    await rm(join(directory, 'extra'))
    await rm(join(directory, TAR))
    assert.equal(
      (await findings(directory, '--ignore-missing')).at(-1),
      `ratafia: ${directory} has no file of the release. Download those that you need.`,
    )
  })

  test('security: a release older than the program requires --older', async () => {
    for (const version of ['0.0.1', `${RELEASE.replace(/-.*/, '')}-alpha.0`]) {
      const directory = await release(FILES(version))
      await program.refuses(
        verify(directory),
        `ratafia: ${directory} has the release ${version}, which is older than this program, ${RELEASE}. Older releases have faults that are known. Pass --older if you want this one.\n`,
      )
      await program.says(verify(directory, '--older'), new RegExp(`^Release ${version},`))
    }
    await program.says(verify(await release(FILES(RELEASE))), new RegExp(`^Release ${RELEASE},`))
  })

  test('security: files of two releases, or of none, are refused', async () => {
    const two = await release({ ...FILES('9.1.0'), ...FILES('9.1.0-rc.1') })
    await program.refuses(
      verify(two),
      `ratafia: ${two}/SHA256SUMS lists files of more than one release: 9.1.0-rc.1, 9.1.0. Do not use these files.\n`,
    )
    await program.refuses(
      verify(await release({ 'notes.txt': 'x' })),
      /notes\.txt has no version in its name/,
    )
  })

  test('security: nothing about files is said before the signature is good', async () => {
    const directory = await release(FILES('9.1.0'))
    const sums = join(directory, 'SHA256SUMS')
    await writeFile(sums, (await readFile(sums, 'utf8')).replace(/^./, '_'))
    await program.refuses(
      verify(directory),
      /The signature in \S+SHA256SUMS\.sig does not fit \S+SHA256SUMS\./,
    )
    await writeFile(sums, 'x'.repeat(33 * 1024))
    await program.refuses(verify(directory), /SHA256SUMS is longer than 32768 bytes\./)
  })

  test('explains a directory without the two files, and wrong options', async () => {
    const at = (name: string) => join(program.directory, name)
    const directory = await release(FILES('9.1.0'))
    await rm(join(directory, 'SHA256SUMS.sig'))
    await program.refusesEach`
      release verify | 2 | Missing required argument 'directory'
      release verify a b | 2 | Too many arguments
      release keys x | 2 | Too many arguments
      release verify ${directory} --key ${at('none')} | 1 | none cannot be read: there is no such file
      release verify ${directory} --key ${join(directory, TAR)} | 1 | xz is not a public key of OpenSSH with Ed25519
      release verify ${directory} --key ${key} | 1 | There is no \S+SHA256SUMS\.sig\. Name the directory
      release verify ${at('none')} --key ${key} | 1 | There is no \S+none/SHA256SUMS\. Name the directory
      release verify ${key} --key ${key} | 1 | SHA256SUMS cannot be used \(lstat\): a part of its path is not a directory`
  })
})
