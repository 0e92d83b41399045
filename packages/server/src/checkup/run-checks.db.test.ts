/** Each check finds the problem that is planted for it, and nothing in a sound database. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { sql, type Transaction } from 'kysely'
import { deciding } from '../../test/support/authorities.ts'
import { eachDatabase } from '../../test/support/databases.ts'
import { freshDeviceKeys, registered, sessionOf, withAcme } from '../../test/support/devices.ts'
import { GITHUB, givenIssuer } from '../../test/support/rules.ts'
import { addPerson, logIn, testService } from '../../test/support/service.ts'
import { linkEntries } from '../audit/link.ts'
import { addRule } from '../ci/rules/making/add-rule.ts'
import type { Database, DatabaseKind, DeviceTable, Schema } from '../database/index.ts'
import { sealedValueStore } from '../keyring/sealed-value-store.ts'
import { createSealer } from '../keyring/sealing.ts'
import { storesOn } from '../start/stores.ts'
import type { CheckDeps } from './check.ts'
import { checkupStore } from './checkup-store.ts'
import { jobCheckStore } from './job-check-store.ts'
import { CHECKS, type CheckResult, runChecks } from './run-checks.ts'
import { schemaCheckStore } from './schema-check-store.ts'

type Plant = string | ((query: Transaction<Schema>, kind: DatabaseKind) => Promise<unknown>)

const run = (query: Transaction<Schema>, text: string) => sql.raw(text).execute(query)

/** Runs a statement without the database's own enforcement. */
const unwatched =
  (text: string): Plant =>
  async (query, kind) => {
    const off = 'set local session_replication_role = replica'
    await run(query, kind === 'sqlite' ? 'pragma defer_foreign_keys = on' : off)
    await run(query, text)
  }

/** Replaces the bytes of a column in every row. */
const bytes =
  (table: string, column: string, value = Buffer.from('garbage')): Plant =>
  (query) =>
    sql`update ${sql.table(table)} set ${sql.ref(column)} = ${value}`.execute(query)

/** Copies a device into a second row, with these columns replaced. */
async function copyDevice(query: Transaction<Schema>, columns: Partial<DeviceTable>): Promise<void> {
  const row = await query.selectFrom('device').selectAll().orderBy('id').limit(1).executeTakeFirstOrThrow()
  await query
    .insertInto('device')
    .values({ ...row, id: `${row.id.slice(0, -1)}_`, ...columns })
    .execute()
}

/** Flips a bit of the sealed value of the only row. */
const damaged =
  (table: 'root_key' | 'signing_key'): Plant =>
  async (query) => {
    const row = await query.selectFrom(table).select('sealed').executeTakeFirstOrThrow()
    const sealed = Buffer.from(row.sealed)
    sealed[sealed.length - 40] = (sealed[sealed.length - 40] as number) ^ 1
    await query.updateTable(table).set({ sealed }).execute()
  }

/** Drops the unique constraint on a column and the bucket. */
async function unconstrained(
  query: Transaction<Schema>,
  kind: DatabaseKind,
  table: string,
  column: string,
): Promise<void> {
  if (kind === 'postgres') {
    await run(query, `alter table ${table} drop constraint ${table}_${column}_bucket_key`)
    return
  }
  await run(query, `create table copied as select * from ${table}`)
  await run(query, `drop table ${table}`)
  await run(query, `alter table copied rename to ${table}`)
}

/** Returns an entry that waits to be linked. */
const unlinked = (action: string, subject: string) => ({
  ...{ id: 'last', at: 1, actor: 'operator', source: '', action, subject, details: '{}' },
  ...{ seq: null, previous_hash: null, hash: null },
})

const FAULTS: Readonly<Record<string, readonly [plant: Plant, says: RegExp][]>> = {
  schema: [
    ['drop index device_session_chain', /^There is no index device_session_chain\.$/],
    [
      'drop index device_brand_id_model_device_key_id_bucket_key',
      /^There is no index device_brand_id_model_device_key_id_bucket_key\.$/,
    ],
    ['drop table package', /^There is no table package\.$/],
    [
      (query, kind) => run(query, `drop table job_lease${kind === 'postgres' ? ' cascade' : ''}`),
      /^There is no table job_lease\.$/,
    ],
    ['alter table package rename column snap_id to other', /^There is no column package\.snap_id\.$/],
    [
      async (query, kind) => {
        if (kind === 'postgres') await run(query, 'alter table package drop constraint package_snap_id_key')
        else {
          await run(query, 'drop table package')
          await run(
            query,
            'create table package (name text constraint package_name_key primary key, snap_id text)',
          )
        }
      },
      /^There is no constraint package_snap_id_key of package\.$/,
    ],
  ],
  references: [
    [
      unwatched("update token_session set account_id = 'gone'"),
      /^Rows of token_session that refer by account_id to missing rows of account: 1, such as gone\.$/,
    ],
    [
      unwatched("update device_session set device_id = 'none'"),
      /^Rows of device_session that refer by device_id, bucket to missing rows of device: 1, such as none\.$/,
    ],
  ],
  'sealed-values': [
    ['delete from seal_check', /^There is no seal check,/],
    [bytes('seal_check', 'sealed'), /^The seal check does not open/],
    ["update key_pair set purpose = 'issuer' where id = 2", /^The issuer key pair 2 does not open/],
    [damaged('root_key'), /^The root key 1 does not open/],
    [damaged('signing_key'), /^The signing key \S+ does not open/],
  ],
  'root-keys': [
    ["delete from key_pair where purpose = 'issuer'", /^There is no issuer key pair\.$/],
    ['update key_pair set id = 7 where id = 2', /^A key pair before 7 is missing\.$/],
    ['delete from root_key', /^There is no root key\.$/],
    ['update root_key set id = 3', /^A root key before 3 is missing\.$/],
  ],
  'key-pairs': [
    [
      bytes('key_pair', 'public_key', Buffer.alloc(32, 1)),
      /^The discharger key pair 2 has a public key that does not belong to its private key\.$/,
    ],
    [
      async (query) => {
        const { key_id } = await query.selectFrom('signing_key').selectAll().executeTakeFirstOrThrow()
        const other = `A${key_id.slice(1)}`
        const sealed = sealer.seal(`signing-key:${other}`, Buffer.from('no key'))
        await query.updateTable('signing_key').set({ key_id: other, sealed }).execute()
      },
      /^The signing key A\S+ does not have this id\.$/,
    ],
  ],
  'session-macaroons': [
    [
      async (query) => {
        const row = await query.selectFrom('device_session').selectAll().executeTakeFirstOrThrow()
        const id = Buffer.from(row.macaroon_id)
        id.writeUInt32BE(77, 1)
        await query.updateTable('device_session').set({ macaroon_id: id }).execute()
      },
      /has a macaroon of the root key 77, which does not exist\.$/,
    ],
    [bytes('device_session', 'macaroon_id'), /has a macaroon of a different kind\.$/],
  ],
  'one-holder': [
    [
      (query) => copyDevice(query, { device_key_id: 'another' }),
      /^2 devices have the serial acme-brand\/acme-classic\/\S+\.$/,
    ],
  ],
  'one-serial': [
    [
      async (query) => {
        await run(query, 'drop index device_brand_id_model_device_key_id_bucket_key')
        await copyDevice(query, { serial: 'another' })
      },
      /^2 devices have the key acme-brand\/acme-classic \S+\.$/,
    ],
  ],
  'serial-holders': [
    ['delete from serial_holder', /^The holder of acme-brand\/\S+ does not name its device \S+\.$/],
    [
      "update serial_holder set device_id = 'gone'",
      /^The holder of acme-brand\/acme-classic\/\S+ names the device gone, which does not have it\.$/,
    ],
    ['update serial_holder set revision = null', /^The holder of acme-brand\S+ does not know the revision 0/],
  ],
  buckets: [
    [
      unwatched('update device set bucket = (bucket + 1) % 1024'),
      /^The bucket of devices with keys that begin with \S\S, such as \S+, is \d+ instead of \d+ \(rows: 1\)\.$/,
    ],
    [
      async (query) => {
        const { id } = await query.selectFrom('device').select('id').executeTakeFirstOrThrow()
        await copyDevice(query, { id, bucket: 1023, device_key_id: '__another' })
      },
      /^2 devices have the id \S+\.$/,
    ],
  ],
  'serial-assertions': [
    ["update serial_assertion set signing_key_id = 'another'", /has a different signing key than its row\.$/],
    ["update device set serial = 'another'", /has a different name than its row\.$/],
    [bytes('serial_assertion', 'encoded'), /does not decode/],
    ["update device set device_key_id = 'another'", /has a different device key than its row\.$/],
    ["update serial_assertion set authority_id = 'another'", /has a different authority than its row\.$/],
    ['update serial_assertion set revision = 4', /\(revision 4\) has a different revision than its row\.$/],
  ],
  'serial-signatures': [
    [
      async (query) => {
        const { encoded } = await query.selectFrom('serial_assertion').selectAll().executeTakeFirstOrThrow()
        const text = Buffer.from(encoded).toString()
        const other = text.replace(/^timestamp: 2/m, 'timestamp: 3')
        assert.notEqual(other, text)
        await query
          .updateTable('serial_assertion')
          .set({ encoded: Buffer.from(other) })
          .execute()
      },
      /signature of the serial does not match/,
    ],
  ],
  revisions: [
    ['delete from serial_assertion', /^The device \S+ \(acme-brand\/acme-classic\/\S+\) has no assertion\.$/],
    [
      async (query) => {
        const row = await query.selectFrom('serial_assertion').selectAll().executeTakeFirstOrThrow()
        await query
          .insertInto('serial_assertion')
          .values({ ...row, revision: 2 })
          .execute()
      },
      /^\S+ has 2 assertions, with revisions from 0 to 2\.$/,
    ],
    ['update device set revision = null', /has the revision none, but an assertion with the revision 0\.$/],
  ],
  decisions: [
    ['update token_session set revoked_at = 1', /^The decision about the token session \S+ lacks a time /],
    ["update device set status = 'revoked', decided_by = null", /^The decision about the device \S+ lacks /],
  ],
  removed: [
    ['update account set removed_at = 1, disabled_at = 1', /^The account \S+ was removed, but still has /],
    ['update device set removed_at = 1', /^The device \S+ was removed, but still has personal data\.$/],
  ],
  rules: [
    [
      `update publisher_rule set matchers = '{"repository_id":{"regex":"."}}'`,
      /^The rule hello cannot be read: repository_id: a matcher is /,
    ],
    [`update publisher_rule set matchers = '{"repository_id":"75"}'`, /^The rule hello has changed since /],
    [`update publisher_rule set ids = '["75","65"]'`, /^The rule hello is stored under ids other than /],
    [
      `update publisher_rule set grants = '{"permissions":null,"packages":["x"]}'`,
      /^The rule hello cannot be read: "channels" of its grants is not a list of strings\.$/,
    ],
  ],
  'rule-sessions': [
    [
      "update token_session set rule_id = 'gone'",
      /^The token session \S+ was opened by a rule that was removed or disabled, but it is not revoked\.$/,
    ],
    [
      async (query) => {
        const { id } = await query.selectFrom('publisher_rule').select('id').executeTakeFirstOrThrow()
        await query.updateTable('publisher_rule').set({ disabled_at: 1 }).execute()
        await query.updateTable('token_session').set({ rule_id: id }).execute()
      },
      /^The token session \S+ was opened by a rule that was removed or disabled, but it is not revoked\.$/,
    ],
  ],
  'single-use': [
    [
      async (query, kind) => {
        await unconstrained(query, kind, 'device_registration', 'request_id_hash')
        await run(query, 'insert into device_registration select * from device_registration')
      },
      /^2 rows of device_registration share a nonce or request-id/,
    ],
    [
      async (query, kind) => {
        await unconstrained(query, kind, 'device_session', 'nonce_hash')
        const row = await query.selectFrom('device_session').selectAll().executeTakeFirstOrThrow()
        await query
          .insertInto('device_session')
          .values({ ...row, session_id: 'another' })
          .execute()
      },
      /^2 rows of device_session share a nonce or request-id/,
    ],
  ],
  assertions: [
    [bytes('trust_root', 'encoded'), /of trust_root does not decode/],
    [bytes('assertion', 'encoded'), /^model 16\/acme-brand\/acme-classic of assertion does not decode/],
    ["update assertion set revision = 9 where type = 'account'", /^account acme-brand .* not agree with its/],
  ],
  audit: [
    ["update audit_entry set actor = 'gone' where seq = 1", /^Entry 1 .*: its content does not match /],
    ['delete from audit_entry where seq = 2', /^Entry 2 of the audit log: it is missing/],
  ],
  revocations: [
    [
      async (query) => {
        const row = await query.selectFrom('token_session').select('session_id').executeTakeFirstOrThrow()
        await query.insertInto('audit_entry').values(unlinked('token.revoke', row.session_id)).execute()
      },
      /^The token session \S+ was revoked according to the audit log, but is not revoked now\.$/,
    ],
    [
      async (query) => {
        const { id } = await query.selectFrom('device').select('id').executeTakeFirstOrThrow()
        await query.insertInto('audit_entry').values(unlinked('device.revoke', id)).execute()
      },
      /^The device \S+ was revoked according to the audit log, but is not revoked now\.$/,
    ],
  ],
  models: [
    ["delete from assertion where type = 'model'", /^The model acme-brand\/acme-classic has no assertion\.$/],
    ["delete from assertion where type = 'account-key'", /^The signing key .* has no account-key /],
  ],
}

const OFF = 'alter table account disable trigger account_announce_update'

const sealer = createSealer(Buffer.alloc(32, 7))

class TakenBack extends Error {}

eachDatabase((kind, open, fresh) => {
  const service = testService(fresh)
  let database: Database
  before(async () => {
    database = await open()
    await withAcme({ ...service.installation, clock: service.now })
    const [key] = await freshDeviceKeys(1)
    assert.ok(key)
    const serial = await registered(service, { key })
    await sessionOf(service, { serial, key })
    await logIn(service, await addPerson(service, 'ann'))
    await givenIssuer(database, GITHUB, 'github')
    await addRule(
      {
        ...{ maker: { authority: deciding() }, name: 'hello', issuer: GITHUB, account: 'ann' },
        match: { repository_id: '74', repository_owner_id: '65', ref: 'refs/heads/main' },
        ...{ packages: [{ name: 'hello' }], grants: { permissions: ['package_upload'] } },
      },
      { ...service.installation, jobMaxLifetime: service.installation.config.jobMaxLifetime },
    )
    await linkEntries(service.installation)
  })

  /** Runs `check` with `plant` done, and rolls back afterwards. */
  const withFault = async (plant: Plant, check: (deps: CheckDeps) => Promise<void>): Promise<void> => {
    await database.query
      .transaction()
      .execute(async (transaction) => {
        await (typeof plant === 'string' ? run(transaction, plant) : plant(transaction, kind))
        await check({
          rows: checkupStore({ query: transaction }),
          jobs: jobCheckStore({ query: transaction, kind }),
          schema: schemaCheckStore({ query: transaction, kind }),
          sealed: sealedValueStore({ query: transaction }),
          sealer,
          stores: storesOn({ query: transaction }),
        })
        throw new TakenBack()
      })
      .catch((error: unknown) => {
        if (!(error instanceof TakenBack)) throw error
      })
  }

  /** Returns the results of all checks. */
  const resultsWith = async (plant: Plant): Promise<readonly CheckResult[]> => {
    let results: readonly CheckResult[] = []
    await withFault(plant, async (deps) => {
      results = await runChecks(deps)
    })
    return results
  }

  test('finds no problem in a sound database, and a problem is planted here for every check', async () => {
    for (const { name, faults, examples } of await resultsWith(async () => undefined)) {
      assert.deepEqual([name, faults, examples], [name, 0, []])
    }
    assert.deepEqual(Object.keys(FAULTS).sort(), CHECKS.map(({ name }) => name).sort())
    for (const { holds } of CHECKS) assert.match(holds, /^[A-Z].*\.$/)
  })

  if (kind === 'postgres') {
    for (const how of ['drop trigger account_announce_update on account', OFF]) {
      test(`the schema check reports that no node is notified of changes after "${how}"`, async () => {
        const [{ examples } = assert.fail()] = await resultsWith(how)
        assert.deepEqual(examples, ['There is no trigger account_announce_update of account.'])
      })
    }
  }

  test('if a table is missing, skips the checks that read tables, and none of them reports ok', async () => {
    const [schema, ...others] = await resultsWith('drop table clone_evidence')
    assert.deepEqual([schema?.name, schema?.skipped], ['schema', false])
    assert.ok(schema?.examples.includes('There is no table clone_evidence.'))
    assert.ok(others.every(({ skipped }) => skipped))
  })

  test('a database that was used and has lost every key is not taken for a new one', async () => {
    const results = await resultsWith(async (query) => {
      for (const table of ['root_key', 'key_pair', 'signing_key', 'seal_check'])
        await run(query, `delete from ${table}`)
    })
    const { examples } = results.find(({ name }) => name === 'root-keys') ?? assert.fail()
    assert.equal(examples[0], 'There is no root key.')
  })

  for (const [name, faults] of Object.entries(FAULTS)) {
    describe(name, () => {
      for (const [plant, says] of faults) {
        test(`finds ${says}`, async () => {
          const found: string[] = []
          const check = CHECKS.find((one) => one.name === name) ?? assert.fail()
          // Runs this check only, because together they first require every table.
          await withFault(plant, async (deps) => {
            for await (const fault of check.find(deps)) found.push(fault)
          })
          assert.ok(
            found.some((fault) => says.test(fault)),
            JSON.stringify(found),
          )
        })
      }
    })
  }
})
