/** The queries of `ratafia verify`. Each reads whole tables, in pages or with a query that returns only problems. */
import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database/index.ts'

export interface SerialRow {
  readonly brand_id: string
  readonly model: string
  readonly serial: string
  readonly revision: number
  readonly bucket: number
  readonly device_id: string
  readonly encoded: Uint8Array
  readonly authority_id: string
  readonly signing_key_id: string
  /** The device's key; null, like the next fields, if no device has this id. */
  readonly device_key_id: string | null
  readonly device_brand_id: string | null
  readonly device_model: string | null
  readonly device_serial: string | null
}

interface StoredAssertionRow {
  readonly table: 'assertion' | 'trust_root'
  readonly type: string
  readonly primary_key: string
  /** The revision; null for a trust root, which is stored without one. */
  readonly revision: number | null
  readonly encoded: Uint8Array
}

export interface CheckupStore {
  sharedSerials(): AsyncGenerator<{ name: string; devices: number }>
  sharedKeys(): AsyncGenerator<{ name: string; devices: number }>
  /** Returns serials whose row in `serial_holder` is missing or contradicts the devices' rows. */
  wrongHolders(): AsyncGenerator<{ name: string; what: string }>
  /** Returns how many devices have keys with these first two characters in a bucket, with one of them as an example. */
  bucketsOfKeys(): AsyncGenerator<{ key: string; bucket: number; devices: number; example: string }>
  sharedIds(): AsyncGenerator<{ id: string; devices: number }>
  noncesUsedTwice(): AsyncGenerator<{ table: string; times: number; example: string }>
  serialAssertions(): AsyncGenerator<SerialRow>
  /** Returns serials with several assertions where a revision in between is missing. */
  revisionGaps(): AsyncGenerator<{ name: string; first: number; last: number; stored: number }>
  /** Returns devices whose revision differs from their newest assertion's. */
  revisionMismatches(): AsyncGenerator<{ id: string; name: string; revision: number | null; newest: number }>
  /** Returns active devices without an assertion. */
  withoutAssertion(): AsyncGenerator<{ id: string; name: string }>
  /** Returns token sessions whose revocation, and devices whose decision, has no time or no author. */
  incompleteDecisions(): AsyncGenerator<{ what: string; id: string }>
  /** Returns token sessions and devices that the audit log records as revoked and that are not. */
  undoneRevocations(): AsyncGenerator<{ what: string; id: string }>
  /** Returns removed accounts and devices that still have personal data. */
  leftOfRemoved(): AsyncGenerator<{ what: string; id: string }>
  sessionMacaroons(): AsyncGenerator<{ session_id: string; macaroon_id: Uint8Array }>
  /** Returns whether the audit log has a change that only a service or a command with keys makes. */
  wasUsed(): Promise<boolean>
  rootKeyIds(): Promise<readonly number[]>
  keyPairs(): Promise<readonly { id: number; purpose: string; public_key: Uint8Array; sealed: Uint8Array }[]>
  signingKeys(): Promise<readonly { key_id: string; account_id: string; sealed: Uint8Array }[]>
  assertions(): AsyncGenerator<StoredAssertionRow>
  models(): AsyncGenerator<{ brand_id: string; model: string }>
  hasAssertion(type: string, primaryKey: string): Promise<boolean>
  /** Returns the encoded account-key, stored or trusted as a root. */
  accountKey(keyId: string): Promise<Uint8Array | undefined>
}

const PAGE = 500

/** The store works on a snapshot, so all queries see the same rows while others write. */
export function checkupStore({ query }: Pick<Database, 'query'>): CheckupStore {
  /** Yields the rows of a statement, ordered by these columns, a page at a time. */
  async function* paged<Row extends object>(
    select: RawBuilder<Row>,
    key: readonly (string & keyof Row)[],
    table: string,
  ): AsyncGenerator<Row> {
    const columns = sql.join(key.map((name) => sql.ref(`${table}.${name}`)))
    let last: Row | undefined
    for (;;) {
      const values = last
      const after = values ? sql`where (${columns}) > (${sql.join(key.map((name) => values[name]))})` : sql``
      const page = sql<Row>`${select} ${after} order by ${columns} limit ${sql.lit(PAGE)}`
      const { rows } = await page.execute(query)
      yield* rows
      if (rows.length < PAGE) return
      last = rows.at(-1)
    }
  }
  /** Yields the rows of a query that returns only problems, at most a thousand of them. */
  async function* faults<Row>(statement: RawBuilder<Row>): AsyncGenerator<Row> {
    yield* (await sql<Row>`${statement} limit 1000`.execute(query)).rows
  }

  return {
    // Uses the unique indexes of the register, unless they are missing.
    sharedSerials: () =>
      faults(sql<{ name: string; devices: number }>`
        select brand_id || '/' || model || '/' || serial as name, count(*) as devices from device
        where status in ('active', 'revoked') group by brand_id, model, serial having count(*) > 1`),

    sharedKeys: () =>
      faults(sql<{ name: string; devices: number }>`
        select brand_id || '/' || model || ' ' || device_key_id as name, count(*) as devices from device
        where status <> 'superseded' group by brand_id, model, device_key_id having count(*) > 1`),

    // Does not join, because the rows of a serial can be on different shards.
    async *wrongHolders() {
      const name = sql.raw(`brand_id || '/' || model || '/' || serial as name`)
      yield* faults(sql<{ name: string; what: string }>`
        select ${name}, case when min(says) = 'device' then 'does not name its device ' || id
          else 'names the device ' || id || ', which does not have it' end as what
        from (
          select brand_id, model, serial, id, bucket, 'device' as says from device
          where status in ('active', 'revoked')
          union all
          select brand_id, model, serial, device_id, bucket, 'holder' from serial_holder
          where device_id is not null
        ) as given group by brand_id, model, serial, id, bucket having count(*) <> 2`)
      yield* faults(sql<{ name: string; what: string }>`
        select ${name}, 'does not know the revision ' || max(given) as what from (
          select brand_id, model, serial, revision as given, -1 as known from device where revision is not null
          union all select brand_id, model, serial, revision, -1 from serial_assertion
          union all select brand_id, model, serial, -1, coalesce(revision, -1) from serial_holder
        ) as revisions group by brand_id, model, serial having max(given) > max(known)`)
    },

    async *bucketsOfKeys() {
      // Reads the whole table once, and returns few groups.
      yield* (
        await sql<{ key: string; bucket: number; devices: number; example: string }>`
          select substr(device_key_id, 1, 2) as key, bucket, count(*) as devices, min(id) as example
          from device group by substr(device_key_id, 1, 2), bucket`.execute(query)
      ).rows
    },

    // The primary key begins with the id.
    sharedIds: () =>
      faults(sql<{ id: string; devices: number }>`
        select id, count(*) as devices from device group by id having count(*) > 1`),

    async *noncesUsedTwice() {
      yield* faults(sql<{ table: string; times: number; example: string }>`
        select 'device_session' as "table", count(*) as times, min(session_id) as example from device_session
        group by nonce_hash, bucket having count(*) > 1`)
      yield* faults(sql<{ table: string; times: number; example: string }>`
        select 'device_registration' as "table", count(*) as times, min(device_id) as example
        from device_registration group by request_id_hash having count(*) > 1`)
    },

    serialAssertions: () =>
      paged(
        sql<SerialRow>`
          select serial_assertion.brand_id, serial_assertion.model, serial_assertion.serial,
            serial_assertion.revision, serial_assertion.bucket, serial_assertion.device_id, serial_assertion.encoded,
            serial_assertion.authority_id, serial_assertion.signing_key_id, device.device_key_id,
            device.brand_id as device_brand_id, device.model as device_model, device.serial as device_serial
          from serial_assertion left join device
            on device.id = serial_assertion.device_id and device.bucket = serial_assertion.bucket`,
        ['brand_id', 'model', 'serial', 'revision', 'bucket'],
        'serial_assertion',
      ),

    revisionGaps: () =>
      faults(sql<{ name: string; first: number; last: number; stored: number }>`
        select brand_id || '/' || model || '/' || serial as name, min(revision) as first, max(revision) as last,
          count(*) as stored
        from serial_assertion
        where exists (select 1 from device where device.id = serial_assertion.device_id
            and device.bucket = serial_assertion.bucket and origin = 'registration')
          and (brand_id, model, serial) not in (
            select brand_id, model, serial from device where removed_at is not null)
        group by brand_id, model, serial having count(*) <> max(revision) - min(revision) + 1`),

    revisionMismatches: () =>
      faults(sql<{ id: string; name: string; revision: number | null; newest: number }>`
        select device.id, device.brand_id || '/' || device.model || '/' || device.serial as name, device.revision,
          max(serial_assertion.revision) as newest
        from device join serial_assertion
          on serial_assertion.device_id = device.id and serial_assertion.bucket = device.bucket
        where device.status in ('active', 'revoked')
        group by device.id, device.bucket, device.brand_id, device.model, device.serial, device.revision
        having device.revision is null or device.revision < max(serial_assertion.revision)`),

    withoutAssertion: () =>
      faults(sql<{ id: string; name: string }>`
        select id, brand_id || '/' || model || '/' || serial as name from device
        where status = 'active' and origin <> 'import' and not exists (
          select 1 from serial_assertion
          where serial_assertion.device_id = device.id and serial_assertion.bucket = device.bucket)`),

    async *incompleteDecisions() {
      yield* faults(sql<{ what: string; id: string }>`
        select 'token session' as what, session_id as id from token_session
        where (revoked_at is null) <> (revoked_by is null)`)
      yield* faults(sql<{ what: string; id: string }>`
        select 'device' as what, id from device
        where status in ('rejected', 'active', 'superseded', 'revoked')
          and (decided_at is null or decided_by is null)`)
    },

    async *undoneRevocations() {
      yield* faults(sql<{ what: string; id: string }>`
        select 'token session' as what, session_id as id from token_session
        where revoked_at is null and session_id in (select subject from audit_entry where action = 'token.revoke')`)
      // A revoked device whose serial another device key got is superseded.
      yield* faults(sql<{ what: string; id: string }>`
        select 'device' as what, id from device
        where status not in ('revoked', 'superseded')
          and id in (select subject from audit_entry where action = 'device.revoke')`)
    },

    async *leftOfRemoved() {
      yield* faults(sql<{ what: string; id: string }>`
        select 'account' as what, id from account where removed_at is not null and (
          disabled_at is null or email <> '' or name <> '' or password_hash is not null
          or exists (select 1 from external_identity where external_identity.account_id = account.id)
          or exists (select 1 from agent where agent.account_id = account.id)
          or exists (select 1 from publisher_rule where publisher_rule.account_id = account.id))`)
      yield* faults(sql<{ what: string; id: string }>`
        select 'device' as what, id from device where removed_at is not null and (
          status not in ('revoked', 'superseded') or reason is not null or original is not null
          or request is not null or quarantined_at is not null or last_session_at is not null
          or exists (select 1 from serial_assertion
            where serial_assertion.device_id = device.id and serial_assertion.bucket = device.bucket)
          or exists (select 1 from device_session
            where device_session.device_id = device.id and device_session.bucket = device.bucket and address <> '')
          or exists (select 1 from device_registration where device_registration.device_id = device.id
            and device_registration.bucket = device.bucket and address <> ''))`)
    },

    sessionMacaroons: () =>
      paged(
        sql<{ session_id: string; bucket: number; macaroon_id: Uint8Array }>`
          select session_id, bucket, macaroon_id from device_session`,
        ['session_id', 'bucket'],
        'device_session',
      ),

    async wasUsed() {
      // Reads entries until one matches: nearly any does.
      const before = ['schema.migrate', 'database.backup', 'database.restore']
      const used = query.selectFrom('audit_entry').select('id').where('action', 'not in', before).limit(1)
      return (await used.executeTakeFirst()) !== undefined
    },

    async rootKeyIds() {
      return (await query.selectFrom('root_key').select('id').orderBy('id').execute()).map(({ id }) => id)
    },

    keyPairs: () =>
      query
        .selectFrom('key_pair')
        .select(['id', 'purpose', 'public_key', 'sealed_private_key as sealed'])
        .orderBy('id')
        .execute(),

    signingKeys: () =>
      query.selectFrom('signing_key').select(['key_id', 'account_id', 'sealed']).orderBy('key_id').execute(),

    async *assertions() {
      yield* paged(
        sql<StoredAssertionRow>`
          select 'assertion' as "table", type, primary_key, revision, encoded from assertion`,
        ['type', 'primary_key'],
        'assertion',
      )
      yield* paged(
        sql<StoredAssertionRow>`
          select 'trust_root' as "table", type, primary_key, null as revision, encoded from trust_root`,
        ['type', 'primary_key'],
        'trust_root',
      )
    },

    models: () =>
      paged(
        sql<{ brand_id: string; model: string }>`select brand_id, model from model`,
        ['brand_id', 'model'],
        'model',
      ),

    async hasAssertion(type, primaryKey) {
      const found = await query
        .selectFrom('assertion')
        .select('type')
        .where('type', '=', type)
        .where('primary_key', '=', primaryKey)
        .executeTakeFirst()
      return found !== undefined
    },

    async accountKey(keyId) {
      for (const table of ['assertion', 'trust_root'] as const) {
        const row = await query
          .selectFrom(table)
          .select('encoded')
          .where('type', '=', 'account-key')
          .where('primary_key', '=', keyId)
          .executeTakeFirst()
        if (row) return row.encoded
      }
      return undefined
    },
  }
}
