/**
 * `ratafia backup`, `restore`, `import database` and `verify` work while the service runs, and from each
 * database to the other; under `npm run test:full` also to another database of the same kind.
 */
import assert from 'node:assert/strict'
import { copyFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { AssertionOf, PrivateKey } from '@ratafia/assertions'
import { FULL } from '../../../../tools/test/effort.ts'
import { eachDatabase, withoutTables } from '../support/databases.ts'
import { freshDeviceKeys, openSession, registered, sessionOf, withAcme } from '../support/devices.ts'
import { observedServices } from '../support/observed.ts'
import { type Program, type RunningProgram, testProgram } from '../support/program.ts'
import { GITLAB, givenIssuer } from '../support/rules.ts'
import { addPerson, logIn, revokeOwn, type TestService, whoami } from '../support/service.ts'

const SECRET = { RATAFIA_SECRET_KEY: Buffer.alloc(32, 9).toString('base64') }
const BASE = { ...SECRET, RATAFIA_BASE_URL: 'http://ratafia.example' }
const WRITERS = 10

interface Unit {
  readonly key: PrivateKey
  readonly serial: AssertionOf<'serial'>
  readonly session: string
}

/** Runs a command that must succeed. Returns its JSON. */
async function done(program: Program, words: string) {
  const { code, stdout, stderr } = await program.run(`${words} --json`, { environment: SECRET })
  assert.deepEqual([code, code === 0 ? '' : stderr], [0, ''])
  return JSON.parse(stdout)
}

eachDatabase((kind, _open, fresh) => {
  const source = testProgram(fresh)
  let node: RunningProgram
  let service: TestService
  let file: string
  const tokens = { kept: [] as string[], revoked: [] as string[] }
  const units: Unit[] = []

  before(async () => {
    node = await source.start(BASE)
    service = {
      baseUrl: node.baseUrl,
      installation: await source.open(SECRET),
      now: () => new Date(),
      advance: () => assert.fail('a separate process has its own clock'),
    }
    await withAcme({ ...service.installation, clock: service.now })
    for (const key of await freshDeviceKeys(2)) {
      const serial = await registered(service, { key })
      units.push({ key, serial, session: await sessionOf(service, { serial, key }) })
    }
    const { username } = await addPerson(service, 'build')
    await givenIssuer(service.installation.database, GITLAB, 'gitlab')
    await done(
      source,
      `publishers add hello --issuer ${GITLAB} --account ${username} --match project_id=20 --package hello --permission package_upload`,
    )
    const at = Date.now()
    await service.installation.database.query
      .insertInto('used_workload_token')
      .values({ issuer: GITLAB, token_key: 'used', session_id: 'one', used_at: at, expires_at: at + 60_000 })
      .execute()
    file = join(source.directory, 'all.backup')
    await backUpWhileWriting()
  })
  after(async () => {
    await node.end('SIGTERM')
  })

  /** Counts only the tokens that were acknowledged before the backup began. */
  async function backUpWhileWriting(): Promise<void> {
    const people = await Promise.all(
      Array.from({ length: WRITERS }, (_, at) => addPerson(service, `writer-${at}`)),
    )
    const state = { counting: true, writing: true }
    const writers = people.map(async (person) => {
      while (state.writing) {
        const token = await logIn(service, person)
        const ends = Math.random() < 0.5
        if (ends) await revokeOwn(service, token)
        if (state.counting) (ends ? tokens.revoked : tokens.kept).push(token)
      }
    })
    while (tokens.kept.length < 20 || tokens.revoked.length < 20)
      await new Promise((next) => setTimeout(next, 20))
    state.counting = false
    const made = await done(source, `backup ${file}`)
    state.writing = false
    await Promise.all(writers)
    assert.equal(made.file, file)
    assert.ok(made.rows > 100)
  }

  test('only the owner can read the file, which has no plain secrets and needs --force to overwrite', async () => {
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    const text = gunzipSync(await readFile(file)).toString()
    assert.match(
      text,
      /^\{"ratafia-backup":1,"release":"[^"]+","made_at":"[^"]+","database":"(sqlite|postgres)"/,
    )
    assert.ok(!text.includes(SECRET.RATAFIA_SECRET_KEY))
    await source.refuses(
      ['backup', file],
      `ratafia: ${file} already exists. Give another name, or pass --force.\n`,
      1,
      { environment: SECRET },
    )
    const { code: found, stdout } = await source.run(['restore', file, '--dry-run'], { environment: SECRET })
    assert.equal(found, 0)
    assert.match(stdout, new RegExp(`is complete: \\d+ rows of \\d+ tables, from \\S+ \\(${kind}\\)\\.\n$`))
  })

  test('verify finds no problem while the service runs, and restore refuses a database in use', async () => {
    const { checks } = await done(source, 'verify')
    assert.ok(checks.length > 10)
    for (const { name, faults } of checks) assert.deepEqual([name, faults], [name, 0])
    const { code, stderr } = await source.run(['restore', file], { environment: SECRET })
    assert.equal(code, 1)
    assert.match(
      stderr,
      /^ratafia: The database is not empty: the table \w+ has rows\. Restore into a new database/,
    )
    assert.equal(await whoami(node, tokens.kept[0] ?? ''), 200)
  })

  eachDatabase((to, _none, fresh) => {
    if (to === kind && !FULL) return
    const empty = withoutTables(fresh)
    const target = testProgram(empty)
    const observed = observedServices(empty)

    // Once is enough: the format does not depend on the source.
    if (to === 'sqlite' && kind !== to)
      test('a damaged or truncated backup, or one under a different secret key, restores nothing', async () => {
        const whole = await readFile(file)
        const broken = join(target.directory, 'broken')
        const changed = Buffer.from(whole)
        changed[whole.length >> 1] = (changed[whole.length >> 1] as number) ^ 1
        for (const [content, words] of [
          [changed, 'restore'],
          [whole.subarray(0, whole.length >> 1), 'import database'],
          [whole.subarray(0, -8), 'restore --dry-run'],
        ] as const) {
          await writeFile(broken, content)
          await target.refuses(
            `${words} ${broken}`,
            /^(ratafia: Created the database .*\n)?ratafia: The file (is damaged, or not a backup: |has a ).* Nothing was restored\.\n$/,
            1,
            { environment: SECRET },
          )
        }
        const other = { RATAFIA_SECRET_KEY: Buffer.alloc(32, 8).toString('base64') }
        const sealed = /^ratafia: The backup is sealed under a different secret key/
        await target.refuses(`restore ${file}`, sealed, 1, { environment: other })
        const none = `backup ${join(target.directory, 'none')}`
        await target.refuses(none, /has no tables of Ratafia/, 1, { environment: SECRET })
      })

    test('after a restore valid tokens work, revoked ones do not, and devices refresh and register', async () => {
      const restored = await done(target, `restore ${file} --verify`)
      assert.deepEqual([restored.made_on, restored.revoked_sessions], [kind, 0])
      for (const { name, faults, examples } of restored.checks)
        assert.deepEqual([name, faults, examples], [name, 0, []])
      const rules = await done(target, 'publishers list')
      assert.deepEqual(rules, await done(source, 'publishers list'))
      assert.deepEqual([rules[0].name, rules[0].match.project_id], ['hello', '20'])
      const { issuers, usedTokens } = await target.open(SECRET)
      assert.equal((await issuers.findByUrl(GITLAB))?.keys.revision, 'none')
      assert.ok(
        await usedTokens.find({ issuer: GITLAB, key: 'used' }),
        'a used ID token would be accepted again',
      )
      const again = await observed(BASE)
      for (const token of tokens.kept) assert.equal(await whoami(again, token), 200)
      for (const token of tokens.revoked) assert.equal(await whoami(again, token), 401)
      for (const { key, serial, session } of units) {
        const refreshed = await openSession(again, { serial, key, previous: session })
        assert.equal(refreshed.status, 200, JSON.stringify(refreshed.body))
        assert.deepEqual(await registered(again, { key }), serial)
      }
      assert.equal(await whoami(again, await logIn(again, await addPerson(again, 'new'))), 200)
      const [key] = await freshDeviceKeys(1)
      assert.ok(key)
      await registered(again, { key })
      await again.close()
    })

    test('a backup of a restored database has the same rows; --revoke-sessions-since revokes sessions', async () => {
      await done(target, `restore ${file} --replace --yes`)
      const copy = join(target.directory, 'copy.backup')
      await done(target, `export ${copy}`)
      const [one, other] = await Promise.all([file, copy].map(rowsOf))
      assert.deepEqual(other, one)
      const all = '--replace --yes --revoke-sessions-since 1970-01-01'
      const revoked = await done(target, `import database ${copy} ${all}`)
      assert.ok(revoked.revoked_sessions >= tokens.kept.length)
      const { tokenSessions } = await target.open(SECRET)
      assert.ok(
        (await tokenSessions.list({ limit: 10_000 })).every(
          ({ revokedAt, revokedBy }) => revokedAt && revokedBy,
        ),
      )
    })
  })
})

/**
 * Returns the lines of a backup between its first and last, without the audit entries of backups and
 * restores. They are sorted, because databases sort text differently.
 */
async function rowsOf(path: string): Promise<readonly string[]> {
  const lines = gunzipSync(await readFile(path))
    .toString()
    .trimEnd()
    .split('\n')
  let table = ''
  return lines
    .slice(1, -1)
    .filter((line) => !/"database\.(backup|restore)"/.test(line))
    .map((line) => {
      if (line.startsWith('{')) table = line
      return `${table} ${line}`
    })
    .sort()
}

describe('with the key in the data directory', () => {
  const from = testProgram()
  const to = testProgram()

  test('without the key, restore changes nothing and creates no new key', async () => {
    await from.addAccount('ann')
    const file = join(from.directory, 'backup')
    await from.json(`backup ${file}`)
    await to.refuses(
      `restore ${file}`,
      /^ratafia: RATAFIA_DATA_DIR: the secret key .*secret\.key does not exist\. Restore the key/,
      4,
    )
    const data = String(to.environment['RATAFIA_DATA_DIR'])
    await mkdir(data, { recursive: true })
    await copyFile(join(String(from.environment['RATAFIA_DATA_DIR']), 'secret.key'), join(data, 'secret.key'))
    const { stdout, stderr: warned } = await to.run(`restore ${file}`)
    assert.match(stdout, /^Restored \d+ rows of \d+ tables, as they were at \S+\.\n$/)
    assert.match(
      warned,
      /^(ratafia: Created the database .*\n)?Credentials and devices revoked after \S+ are valid again\. Revoke them again/,
    )
    assert.equal((await to.json('accounts list'))[0].username, 'ann')
    await rm(join(data, 'secret.key'))
    assert.equal((await to.run('verify')).code, 4)
  })

  test('messages about invalid times, files and options name them', async () => {
    const file = join(from.directory, 'backup')
    await from.refusesEach`
      restore . | 1 | \. is a directory, not a file
      backup /none/of/it | 1 | /none/of/it cannot be written: there is no such file or directory
      verify x | 2 | Too many arguments
      restore ${file} --revoke-sessions-since yesterday | 2 | ^ratafia: --revoke-sessions-since yesterday is not a time: write a date such as 2027-01-31, a time with its zone such as 2027-01-31T00:00:00Z, or a duration such as 90d\.\n$`
  })
})
