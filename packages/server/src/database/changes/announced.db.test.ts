import assert from 'node:assert/strict'
import { after, before, mock, test } from 'node:test'
import { sql } from 'kysely'
import { eachDatabase } from '../../../test/support/databases.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { type CacheFreshness, type Database, openCacheFreshness } from '../index.ts'
import type { RowChange } from './row-change.ts'

const FUTURE = 4_000_000_000_000

/** Run in this order. The second element lists what another client receives after the statement. */
const ANNOUNCED: readonly (readonly [statement: string, received: readonly string[]])[] = [
  [`insert into account (id, username, email, name, created_at) values ('a1', 'anna', '', '', 0)`, []],
  [`update account set disabled_at = 1 where id = 'a1'`, ['account a1']],
  [
    `insert into token_session (session_id, account_id, valid_since, valid_until, created_at)
      values ('s1', 'a1', 0, ${FUTURE}, 0)`,
    [],
  ],
  [`update token_session set description = 'new'`, []],
  [`update token_session set revoked_at = 1`, ['token-session s1']],
  [`delete from token_session`, ['token-session s1']],
  [
    `insert into token_session (session_id, account_id, valid_since, valid_until, created_at)
      values ('s2', 'a1', 0, 1, 0)`,
    [],
  ],
  // The session has expired.
  [`delete from token_session`, []],
  [`insert into agent (name, account_id, public_key, created_at) values ('ci', 'a1', 'KEY', 0)`, []],
  [`update agent set limits = '{}'`, ['agent ci']],
  [`delete from agent`, ['agent ci']],
  [
    `insert into role_grant values ('account', 'a1', 'viewer', 'acme', 0, 'operator', null, null)`,
    ['role-grant a1'],
  ],
  [`update role_grant set expires_at = 1`, ['role-grant a1']],
  [`delete from role_grant`, ['role-grant a1']],
  [`delete from account`, ['account a1']],
  [`insert into root_key values (7, 'SEALED', 0)`, ['root-key 7']],
  [`insert into key_pair values (8, 'issuer', 'KEY', 'SEALED', 0)`, ['key-pair 8']],
  [`insert into assertion values ('model', '16/acme/mini', 1, 'TEXT', 0)`, ['assertion model/16/acme/mini']],
  [`update assertion set revision = 2`, ['assertion model/16/acme/mini']],
  [`delete from assertion`, ['assertion model/16/acme/mini']],
  [`insert into trust_root values ('account', 'root', 'root', 'TEXT', 0)`, ['trust-root root']],
  [`update trust_root set encoded = 'OTHER'`, ['trust-root root']],
  [`delete from trust_root`, ['trust-root root']],
  [`insert into brand values ('acme', 'Acme', 0)`, ['brand acme']],
  [`update brand set display_name = 'Acme Inc'`, ['brand acme']],
  [`insert into signing_key values ('key', 'acme', 'SEALED', 0, null)`, ['signing-key key']],
  [`update signing_key set disabled_at = 1`, ['signing-key key']],
  [`delete from signing_key`, ['signing-key key']],
  [
    `insert into model values ('acme', 'mini', 'auto', 'ignored', 'refuse', null, 1, 0, 0, 0)`,
    ['model acme/mini'],
  ],
  [`update model set registration = 'approval'`, ['model acme/mini']],
  [`update model set next_number = 2`, []],
  [`insert into remodel values ('acme', 'mini', 'acme', 'mini', 0)`, ['remodel acme/mini/acme/mini']],
  [`delete from remodel`, ['remodel acme/mini/acme/mini']],
  [
    `insert into api_key values ('k1', 'acme', 'mini', '', 'HASH', 0, null, null, 0, null, null)`,
    ['api-key k1'],
  ],
  [`update api_key set uses = 1, last_used_at = 1`, []],
  [`update api_key set revoked_at = 1`, ['api-key k1']],
  [`delete from api_key`, ['api-key k1']],
  [`insert into allow_list values ('acme', 'mini', '1', '', 0)`, []],
  [`delete from allow_list`, []],
  [
    `insert into device (id, bucket, brand_id, model, serial, device_key_id, status, origin, registered_at)
      values ('d1', 7, 'acme', 'mini', '1', 'key', 'active', 'import', 0)`,
    [],
  ],
  [`update device set last_session_at = 1`, []],
  [`update device set status = 'revoked'`, ['device d1']],
  [`delete from device`, []],
  [`delete from model`, ['model acme/mini']],
  [`delete from brand`, ['brand acme']],
]

eachDatabase((kind, open, fresh) => {
  let database: Database
  let freshness: CacheFreshness
  let received: (string | undefined)[]

  before(async () => {
    database = await open()
    // Freezes the clock, because after a late heartbeat anything may have changed, and a slow machine would be late.
    const now = performance.now()
    mock.method(performance, 'now', () => now)
    const target = await fresh.target()
    freshness = await openCacheFreshness(
      await open(),
      target.kind === 'sqlite' ? target : { kind: 'postgres', listenUrl: target.url },
      assert.fail,
    )
    await eventually('changes are received', () => freshness.current())
    freshness.subscribe((change) => received.push(change && written(change)))
  })
  after(() => {
    mock.restoreAll()
    return freshness.close()
  })

  const written = (change: RowChange) => `${change.kind} ${change.id}`
  const run = (statement: string) => sql.raw(statement).execute(database.query)

  let fences = 100
  /** Returns what another client receives after a statement. Once a later change arrives, nothing more can come. */
  async function heardOf(statement: string): Promise<(string | undefined)[]> {
    received = []
    await run(inBytes(statement))
    await run(inBytes(`insert into root_key values (${++fences}, 'SEALED', 0)`))
    const fence = `root-key ${fences}`
    await eventually(fence, () => freshness.current() && received.includes(fence))
    return received.slice(0, received.indexOf(fence))
  }

  /** Replaces strings in capitals, which are placeholders for bytes. */
  const inBytes = (statement: string) =>
    statement.replace(/'([A-Z]{2,})'/g, (_, bytes) =>
      kind === 'sqlite'
        ? `x'${Buffer.from(bytes).toString('hex')}'`
        : `'\\x${Buffer.from(bytes).toString('hex')}'`,
    )

  for (const [statement, expected] of ANNOUNCED) {
    test(`${statement.slice(0, 60)}: announces ${expected.join(', ') || 'nothing'}`, async () => {
      assert.deepEqual(await heardOf(statement), expected)
    })
  }

  test('a statement that changes many rows is announced for each', async () => {
    await heardOf(`insert into brand values ('b1', '1', 0), ('b2', '2', 0)`)
    assert.deepEqual((await heardOf('delete from brand')).toSorted(), ['brand b1', 'brand b2'])
  })

  if (kind === 'sqlite') return
  test('announces a change of one row or all rows under any search_path', async () => {
    const elsewhere = (statement: string) => `set search_path = ''; ${statement}; reset search_path`
    const added = elsewhere(`insert into public.brand values ('far', 'Far', 0)`)
    assert.deepEqual(await heardOf(added), ['brand far'])
    assert.deepEqual(await heardOf(elsewhere('truncate table public.agent')), [undefined])
  })

  test('announces that anything may have changed for an overlong id and for all rows of a table', async () => {
    const long = `insert into brand values ('${'x'.repeat(8_000)}', 'Long', 0)`
    assert.deepEqual(await heardOf(long), [undefined])
    assert.deepEqual(
      await heardOf('truncate table brand, signing_key, model, remodel, api_key, allow_list'),
      [undefined],
    )
    assert.deepEqual(await heardOf('truncate table role_grant'), [undefined])
  })
})
