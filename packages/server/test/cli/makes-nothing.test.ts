/** A command that runs in the wrong directory leaves no new database and no secret key there. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { Command } from 'commander'
import { vectorPath } from '../support/brands.ts'
import { line } from '../support/cases.ts'
import { allCommands } from '../support/commands.ts'
import { eachDatabase } from '../support/databases.ts'
import { testProgram } from '../support/program.ts'

/** Commands that begin an installation. All others need an existing one. */
const BEGINS = line`
  migrate 'accounts add' 'packages import' 'devices import' 'trust add' 'trust create-root' 'brands add'
  'brands create' restore 'import database'`
/** Commands that keep running, and commands that use no database. */
const OTHERS = line`
  'config check' demo 'demo device' health login whoami logout 'ci login' 'ci logout' serve 'identity serve'
  'signing-keys generate' 'signing-keys certify' completion version licences 'release verify' 'release keys' 'tokens create' 'tokens rotate'
  'tokens attenuate' 'tokens explain' 'tokens shorten'`
/** Commands whose argument is optional, because options can take its place. */
const NAMED = line`
  'accounts reminders' 'tokens revoke' 'devices approve' 'devices reject' 'devices revoke' 'devices release'`

/** Returns a command line with a value for every argument and every required option. */
function wordsFor(
  name: string,
  command: Command,
  { file, claims }: { file: string; claims: string },
): readonly string[] {
  const isFile = /file|path|\bkey$/
  const example = (word: string) =>
    name === 'backup'
      ? `${file}.backup`
      : name === 'publishers test' && word.includes('file')
        ? claims
        : isFile.test(word)
          ? file
          : /model|from|to$/.test(word)
            ? 'brand/model'
            : word === 'on|off'
              ? 'off'
              : 'example'
  return [
    ...name.split(' '),
    ...command.registeredArguments.filter(({ required }) => required).map((each) => example(each.name())),
    ...command.options
      .filter(({ mandatory }) => mandatory)
      .flatMap(({ long, flags, argChoices }) => [String(long), argChoices?.[0] ?? example(flags)]),
  ]
}

const COMMANDS = await allCommands()

describe('without a database', () => {
  const program = testProgram()
  let file: string
  let claims: string
  before(async () => {
    claims = join(program.directory, 'claims.json')
    await writeFile(claims, '{}')
    file = join(program.directory, 'signinglog.csv')
    await writeFile(file, 'serial\nAC-1\n')
  })

  for (const [name, command] of COMMANDS) {
    if (BEGINS.includes(name) || OTHERS.includes(name)) continue
    test(`ratafia ${name} does not create one, and names the missing file and the commands that create it`, async () => {
      const directory = join(program.directory, 'nothing', name.replaceAll(' ', '-'))
      const { code, stderr } = await program.run(
        [
          ...wordsFor(name, command, { file, claims }),
          ...(NAMED.includes(name) ? ['example'] : []),
          ...(name === 'allow-list remove' ? ['--all'] : []),
          ...(name.endsWith('set-password') ? ['--password-stdin'] : []),
        ],
        { environment: { RATAFIA_DATA_DIR: directory }, input: 'a long enough password' },
      )
      assert.equal(existsSync(directory), false, 'the directory was created')
      assert.equal(code, 4, stderr)
      assert.ok(stderr.includes(`there is no database ${join(directory, 'ratafia.db')}.`), stderr)
      assert.ok(stderr.includes('`ratafia migrate` or `ratafia serve` creates a new one.'), stderr)
    })
  }

  for (const noun of ['packages', 'devices']) {
    test(`ratafia ${noun} import --dry-run does not create one`, async () => {
      const directory = join(program.directory, 'dry', noun)
      const { code, stderr } = await program.run([noun, 'import', file, '--dry-run'], {
        environment: { RATAFIA_DATA_DIR: directory },
      })
      assert.equal(existsSync(directory), false, 'the directory was created')
      assert.equal(code, 4, stderr)
    })
  }

  for (const words of [
    'migrate',
    'accounts add ann --email a@example.org --name Ann --no-password',
    `trust add ${vectorPath('world/account-test-root')} ${vectorPath('world/account-key-test-root')}`,
  ]) {
    const name = /^\w+( add)?/.exec(words)?.[0] ?? ''
    test(`ratafia ${name} creates one, and prints its path the first time`, async () => {
      const directory = join(program.directory, 'made', name.replaceAll(' ', '-'))
      const environment = { RATAFIA_DATA_DIR: directory }
      const first = await program.run(words, { environment })
      const made = `Created the database ${directory}/ratafia.db and its secret key ${directory}/secret.key.`
      assert.equal(first.code, 0, first.stderr)
      assert.ok(first.stderr.includes(`ratafia: ${made}\n`), first.stderr)
      assert.deepEqual((await readdir(directory)).sort(), ['ratafia.db', 'secret.key'])
      const again = await program.run('accounts list', { environment })
      assert.deepEqual({ code: again.code, stderr: again.stderr }, { code: 0, stderr: '' })
    })
  }

  test('ratafia serve logs the paths of the files it has created', async () => {
    const directory = join(program.directory, 'served')
    await mkdir(directory)
    const service = await program.start({ RATAFIA_DATA_DIR: directory })
    const { stderr } = await service.end('SIGTERM')
    assert.ok(stderr.includes(`Created the database ${directory}/ratafia.db and its secret key`), stderr)
  })
})

eachDatabase((_kind, _open, fresh) => {
  const program = testProgram(fresh)

  const { json, says } = program

  test('a command that reads does not create keys in a migrated database', async () => {
    await says('migrate')
    for (const words of ['accounts list', 'tokens list', 'devices list', 'audit verify']) await says(words)
    const key = vectorPath('world/keys/root.pem')
    const certify = `signing-keys certify acme --key ${key} --root-key ${key} --name new`
    await program.refuses(certify, /There is no account acme|trust root/)
    assert.deepEqual(await json('keys list'), [])
    await says('verify', /^ok +root-keys: This database was never used, so it has no keys yet\.$/m)
    await says('keys rotate')
    await says('verify', /^ok +root-keys: Root keys and key pairs are numbered from 1/m)
    const kinds = (await json('keys list')).map(({ kind }: { kind: string }) => kind)
    assert.deepEqual(kinds, ['root', 'root', 'discharger', 'issuer'])
  })

  test('a dry run, an export and a check add no job and no entry to the audit log', async () => {
    const [file, list] = ['packages.csv', 'devices.json'].map((name) => join(program.directory, name))
    await writeFile(String(file), 'name,snap_id\na,1\n')
    await writeFile(String(list), '[]')
    const before = await json('audit list')
    for (const words of [
      ...[`packages import ${file} --dry-run`, `packages import ${file} --dry-run --replace`],
      ...[`devices import ${list} --dry-run`, 'devices approve --all --dry-run', 'devices export --listed'],
      ...['audit export', 'audit verify'],
    ]) {
      const { code, stderr } = await program.run(words)
      assert.equal(code, 0, `${words}: ${stderr}`)
    }
    assert.deepEqual(await json('jobs list'), [])
    assert.deepEqual(await json('audit list'), before)
  })
})
