/** At no step of `ratafia secret rotate` do running services refuse a valid credential. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { replaceSecretKey } from '../../src/config/secret-key.ts'
import { addBrand } from '../support/as-operator.ts'
import { acmeFiles, addAcme } from '../support/brands.ts'
import { eachDatabase } from '../support/databases.ts'
import { freshDeviceKeys, openSession, register, registered, sessionOf } from '../support/devices.ts'
import { observedServices } from '../support/observed.ts'
import { type RunningProgram, testProgram } from '../support/program.ts'
import { addPerson, logIn, type TestService, whoami } from '../support/service.ts'

const [OLD, NEW] = [Buffer.alloc(32, 9).toString('base64'), Buffer.alloc(32, 10).toString('base64')]
const BASE = { RATAFIA_BASE_URL: 'http://ratafia.example' }
const ONLY_OLD = { ...BASE, RATAFIA_SECRET_KEY: OLD }
const BOTH = { ...BASE, RATAFIA_SECRET_KEY: NEW, RATAFIA_PREVIOUS_SECRET_KEY: OLD }
const ONLY_NEW = { ...BASE, RATAFIA_SECRET_KEY: NEW }

const at = (
  running: Pick<RunningProgram, 'baseUrl'>,
  installation: TestService['installation'],
): TestService => ({
  baseUrl: running.baseUrl,
  installation,
  now: () => new Date(),
  advance: () => assert.fail('a separate process has its own clock'),
})

eachDatabase((_kind, open, fresh) => {
  describe('with the secret key in a variable', () => {
    const program = testProgram(fresh)
    const observed = observedServices(fresh)
    test('tokens stay valid and serials are signed with the old key, both keys and the new key', async () => {
      const database = await open()
      const node = await observed(ONLY_OLD)
      await addAcme({ ...node.installation, clock: node.now })
      const keys = [...(await freshDeviceKeys(4))]
      const registers = async (service: TestService) =>
        (await register(service, { key: keys.pop() ?? assert.fail() })).status
      const token = await logIn(node, await addPerson(node, 'ann'))
      assert.equal(await registers(node), 200)

      await program.refuses(
        'secret rotate',
        /^ratafia: RATAFIA_PREVIOUS_SECRET_KEY .* is not set\. Set it to the previous key/,
        4,
        { environment: ONLY_OLD },
      )
      const same = { environment: { ...ONLY_OLD, RATAFIA_PREVIOUS_SECRET_KEY: OLD } }
      assert.match((await program.run('secret rotate', same)).stderr, /are the same key\.\n$/)

      const changing = await observed(BOTH)
      assert.equal(await whoami(changing, token), 200)
      assert.equal(await registers(changing), 200)
      // A start does not reseal, so a node that has only the old key can still be restarted.
      const sealed = async () =>
        Buffer.from(
          (await database.query.selectFrom('seal_check').selectAll().executeTakeFirstOrThrow()).sealed,
        )
      const before = await sealed()
      await (await observed(ONLY_OLD)).close()
      assert.deepEqual(await sealed(), before)

      const run = async () => {
        const { code, stdout, stderr } = await program.run('secret rotate --json', {
          environment: BOTH,
        })
        assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
        return JSON.parse(stdout)
      }
      const done = await run()
      assert.deepEqual([done.resealed, done.unchanged, done.retired_file], [5, 0, null])
      const again = await run()
      assert.deepEqual([again.resealed, again.unchanged], [0, 5])
      assert.equal(await registers(changing), 200)
      assert.equal(await whoami(changing, token), 200)

      // A node that was left with the old key continues with the keys in its memory, and with a signing key
      // as long as that is cached. It answers 503, not a refusal, if it cannot check a credential.
      assert.equal(await whoami(node, token), 200)
      assert.ok([200, 503].includes(await registers(node)))
      assert.equal((await program.run('keys rotate', { environment: BOTH })).code, 0)
      await changing.close()
      const next = await observed(ONLY_NEW)
      const newer = await logIn(next, await addPerson(next, 'bob'))
      assert.equal(await whoami(node, newer), 503)
      assert.equal(await whoami(next, token), 200)
      await Promise.all([node.close(), next.close()])

      const stopped = await program.run('accounts list', { environment: ONLY_OLD })
      assert.equal(stopped.code, 4)
      assert.match(stopped.stderr, /are sealed under a different secret key\. Set RATAFIA_SECRET_KEY/)
    })
  })
})

/** Returns the statements in docs/operations/secrets-and-backup.md for a lost secret key. */
function statementsOfThePage(): readonly string[] {
  const page = readFileSync(
    new URL('../../../../docs/operations/secrets-and-backup.md', import.meta.url),
    'utf8',
  )
  const [, section = ''] = /^### When the secret key is lost$([\s\S]*?)^## /m.exec(page) ?? []
  const [, block = ''] = /```sql\n([\s\S]*?)```/.exec(section) ?? []
  return block
    .split(';')
    .map((text) => text.trim())
    .filter(Boolean)
}

eachDatabase((_kind, open, fresh) => {
  const program = testProgram(fresh)
  const observed = observedServices(fresh)

  test('after the documented steps for a lost secret key, accounts and the register still work', async () => {
    const service = await observed(ONLY_OLD)
    await addAcme({ ...service.installation, clock: service.now })
    const ann = await addPerson(service, 'ann')
    const token = await logIn(service, ann)
    const [key] = await freshDeviceKeys(1)
    assert.ok(key)
    const serial = await registered(service, { key })
    const previous = await sessionOf(service, { serial, key })
    await service.close()
    assert.equal((await program.run('accounts list', { environment: ONLY_NEW })).code, 4)

    const { query } = await open()
    const statements = statementsOfThePage()
    assert.equal(statements.length, 4)
    for (const statement of statements) await sql.raw(statement).execute(query)
    const after = await observed({ ...ONLY_NEW, RATAFIA_UNKNOWN_SESSIONS: 'ignore' })
    assert.equal(await whoami(after, token), 401)
    assert.equal(await whoami(after, await logIn(after, ann)), 200)
    assert.equal((await openSession(after, { serial, key, previous })).status, 200)
    const [other] = await freshDeviceKeys(1)
    assert.ok(other)
    assert.notEqual((await register(after, { key: other })).status, 200)
    await addBrand(acmeFiles, { ...after.installation, clock: after.now })
    assert.equal((await register(after, { key: other })).status, 200)
    assert.equal((await program.run('verify', { environment: ONLY_NEW })).code, 0)
    await after.close()
  })
})

describe('with the key in the data directory', () => {
  const program = testProgram()

  test('a running service loads the new key by itself, and an interrupted rotation can be resumed', async () => {
    const node = await program.start(BASE)
    const data = String(program.environment['RATAFIA_DATA_DIR'])
    const names = async () => (await readdir(data)).filter((name) => name.startsWith('secret')).sort()
    const installation = await program.open()
    const service = at(node, installation)
    await addAcme({ ...installation, clock: () => new Date() })
    const [one, two, three] = await freshDeviceKeys(3)
    assert.ok(one && two && three)
    const token = await logIn(service, await addPerson(service, 'ann'))
    assert.equal((await register(service, { key: one })).status, 200)

    const { key_id, retired_file, resealed } = await program.json('secret rotate')
    assert.equal(resealed, 5)
    const [now, retired = '', ...others] = await names()
    assert.deepEqual([now, others], ['secret.key', []])
    assert.ok(retired_file.endsWith(`/${retired}`))
    assert.equal(await whoami(node, token), 200)
    assert.equal((await register(service, { key: two })).status, 200)

    // As if the machine had stopped after the new key was written and before anything was sealed under it.
    await replaceSecretKey(`${data}/secret.key`, `${data}/secret.key.previous`)
    assert.equal((await register(service, { key: three })).status, 200)
    assert.equal((await node.end('SIGTERM')).code, 0)
    const between = await program.start(BASE)
    assert.equal(await whoami(between, token), 200)
    const taken = await program.json('secret rotate')
    assert.deepEqual([taken.resealed, taken.previous_key_id], [5, key_id])
    assert.equal((await names()).length, 3)
    assert.equal(await whoami(between, token), 200)
    assert.equal((await between.end('SIGTERM')).code, 0)
    assert.equal((await program.run('verify')).code, 0)
  })

  test('a refused rotation does not decide which key a new database has', async () => {
    const base = { RATAFIA_DATA_DIR: `${program.directory}/new` }
    const [old, only] = [OLD, NEW].map((key) => ({ environment: { ...base, RATAFIA_SECRET_KEY: key } }))
    const same = { environment: { ...only?.environment, RATAFIA_PREVIOUS_SECRET_KEY: NEW } }
    await program.says('migrate', undefined, old)
    await program.refuses('secret rotate --yes', /RATAFIA_PREVIOUS_SECRET_KEY .* is not set/, 4, only)
    await program.refuses('secret rotate --yes', /are the same key/, 4, same)
    await program.says('keys rotate', undefined, old)
  })
})
