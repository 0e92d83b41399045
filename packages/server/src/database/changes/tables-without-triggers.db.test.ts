/** Guarantee: a process does not cache rows whose changes might not be announced, and warns; it caches all others. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql, type Transaction } from 'kysely'
import { eachDatabase } from '../../../test/support/databases.ts'
import { eventually } from '../../../test/support/eventually.ts'
import {
  type CacheFreshness,
  createMemory,
  type Database,
  openCacheFreshness,
  type Schema,
} from '../index.ts'
import { triggerNames } from '../schema/migrated-names.ts'
import { CHANGE_KINDS, type ChangeKind, tableOf } from './row-change.ts'
import { findUnannounced } from './tables-without-triggers.ts'

const general = (tables: string) =>
  `This process may miss changes of ${tables}, so it does not cache what depends on them.`
const silent = (tables: string) =>
  `Triggers that announce changes of ${tables} are missing or disabled; \`ratafia verify\` lists them. Enable or recreate them, then restart the nodes.`
const distributed = (tables: string) =>
  `Citus distributes ${tables}, so their triggers cannot notify other nodes. You do not need to do anything.`

interface Found {
  readonly unannounced: readonly ChangeKind[]
  readonly warning?: string
}

const NOTHING: Found = { unannounced: [] }
const MODEL: Found = { unannounced: ['model'], warning: `${general('model')} ${silent('model')}` }

const CITUS = 'create table pg_dist_partition (logicalrelid regclass not null, partmethod "char" not null)'
const DISTRIBUTES = `insert into pg_dist_partition values ('device', 'h'), ('schema_migration', 'h')`

const ON_POSTGRES: readonly (readonly [title: string, statements: readonly string[], found: Found])[] = [
  ['a disabled trigger', ['alter table model disable trigger model_announce_update'], MODEL],
  [
    'disabled triggers of several tables, in one case only the truncate trigger',
    [
      'alter table token_session disable trigger user',
      'alter table api_key disable trigger api_key_announce_truncate',
    ],
    {
      unannounced: ['token-session', 'api-key'],
      warning: `${general('token_session, api_key')} ${silent('token_session, api_key')}`,
    },
  ],
  ['a trigger for replication', ['alter table model enable replica trigger model_announce_update'], MODEL],
  ['a trigger that always runs', ['alter table model enable always trigger model_announce_update'], NOTHING],
  [
    'all triggers except those that also run for replication, in a replicating session',
    [
      'alter table key_pair enable always trigger key_pair_announce_insert',
      'alter table key_pair enable replica trigger key_pair_announce_truncate',
      'set local session_replication_role = replica',
    ],
    { unannounced: CHANGE_KINDS.filter((kind) => kind !== 'key-pair') },
  ],
  [
    'a table that Citus distributes',
    [CITUS, DISTRIBUTES],
    { unannounced: ['device'], warning: `${general('device')} ${distributed('device')}` },
  ],
  [
    'a table that Citus distributes, and one without triggers',
    [CITUS, DISTRIBUTES, 'alter table brand disable trigger user'],
    {
      unannounced: ['device', 'brand'],
      warning: `${general('device, brand')} ${silent('brand')} ${distributed('device')}`,
    },
  ],
  ['no table that Citus distributes, although Citus is present', [CITUS], NOTHING],
  [
    'a table in partitions',
    [
      'alter table remodel rename to plain',
      'create table remodel (like plain) partition by hash (from_brand_id)',
      'create table remodel_0 partition of remodel for values with (modulus 1, remainder 0)',
      ...['insert', 'delete'].map(
        (on) => `create trigger remodel_announce_${on} after ${on} on remodel for each row
          execute function ratafia_announce('remodel', 'from_brand_id', 'from_model', 'to_brand_id', 'to_model')`,
      ),
      `create trigger remodel_announce_truncate after truncate on remodel
        for each statement execute function ratafia_announce_truncate()`,
    ],
    NOTHING,
  ],
]

eachDatabase((kind, open, { target }) => {
  let database: Database
  before(async () => {
    database = await open()
  })
  const run = (statement: string, query: Database['query'] = database.query) =>
    sql.raw(statement).execute(query)

  /** Returns the findings after these statements, which are then rolled back. */
  async function foundAfter(statements: readonly string[]): Promise<Found> {
    const undone = new Error('undone')
    let found: Found | undefined
    const look = async (query: Transaction<Schema>) => {
      for (const statement of statements) await run(statement, query)
      const warnings: string[] = []
      const unannounced = [...(await findUnannounced({ query, kind }, (message) => warnings.push(message))())]
      const [warning, ...more] = warnings
      assert.deepEqual(more, [])
      found = { unannounced, ...(warning === undefined ? {} : { warning }) }
      throw undone
    }
    await assert.rejects(database.query.transaction().execute(look), undone)
    return found ?? assert.fail('the check did not run')
  }

  describe('a check finds', () => {
    test('nothing where all triggers run', async () => {
      assert.deepEqual(await foundAfter([]), NOTHING)
    })

    for (const of of CHANGE_KINDS) {
      const table = tableOf(of)
      test(`${of} unannounced without any one of its triggers`, async () => {
        const names = triggerNames(kind)
          .filter(({ name }) => name.startsWith(`${table}_announce_`))
          .map(({ name }) => name)
        assert.notEqual(names.length, 0)
        for (const name of names) {
          const dropped = `drop trigger ${name}${kind === 'postgres' ? ` on ${table}` : ''}`
          const warning = `${general(table)} ${silent(table)}`
          assert.deepEqual(await foundAfter([dropped]), { unannounced: [of], warning }, name)
        }
      })
    }

    for (const [title, statements, { unannounced, warning }] of kind === 'postgres' ? ON_POSTGRES : []) {
      test(title, async () => {
        const found = await foundAfter(statements)
        assert.deepEqual(found.unannounced, unannounced)
        if (warning !== undefined || unannounced.length === 0) assert.equal(found.warning, warning)
      })
    }
  })

  describe('a process', () => {
    const warnings: string[] = []
    const opened: CacheFreshness[] = []
    after(async () => {
      for (const freshness of opened) await freshness.close()
    })
    const listen = async (database?: Database) => {
      const at = await target()
      const source = at.kind === 'sqlite' ? at : { kind: at.kind, listenUrl: at.url }
      const freshness = await openCacheFreshness(database ?? (await open()), source, (message) =>
        warnings.push(message),
      )
      opened.push(freshness)
      return freshness
    }
    const drop = `drop trigger account_announce_update${kind === 'postgres' ? ' on account' : ''}`

    test('caches everything except what depends on an unannounced kind', async () => {
      await run(drop)
      const freshness = await listen()
      const memory = createMemory<{ readonly kinds: readonly ChangeKind[] }>(freshness, {
        name: 'rows',
        dependsOn: ({ kinds }) => kinds.map((of) => ({ kind: of, id: 'x' })),
      })
      const has = async (...kinds: readonly ChangeKind[]) => {
        await memory.find(kinds.join(), async () => ({ kinds }))
        return memory.peek(kinds.join()) !== undefined
      }
      await eventually('a session is remembered', () => has('token-session'))
      assert.equal(await has('account'), false)
      assert.equal(await has('token-session', 'account'), false)
      assert.deepEqual(warnings.splice(0), [`${general('account')} ${silent('account')}`])
    })

    if (kind === 'sqlite') return
    test('is not current while the check fails, and does not warn then', async () => {
      const opened = await open()
      await run('create table pg_dist_partition (unknown text)')
      const freshness = await listen(opened)
      await eventually('heartbeats come back', () => freshness.lag() < 500)
      assert.equal(freshness.current(), false)
      assert.deepEqual(warnings, [])
      await run('drop table pg_dist_partition')
      await eventually('it is current', () => freshness.current())
      assert.equal(freshness.current('account'), false)
    })
  })
})
