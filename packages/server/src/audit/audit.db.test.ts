import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { newAccountId } from '@ratafia/api'
import { deciding } from '../../test/support/authorities.ts'
import { TESTER } from '../../test/support/changes.ts'
import { eachDatabase } from '../../test/support/databases.ts'
import { storesOf } from '../../test/support/stores.ts'
import { accountStore } from '../accounts/account-store.ts'
import type { AuditEntryTable, Database } from '../database/index.ts'
import { type AuditStore, auditStore } from './audit-store.ts'
import { hashOf, type LinkedEntry } from './entry.ts'
import { auditPages } from './export.ts'
import { linkEntries } from './link.ts'
import { listAudit } from './list.ts'
import { removeOldEntries } from './remove-old.ts'
import { type Anchor, verifyAudit } from './verify.ts'

const START = Date.parse('2026-11-20T10:00:00.000Z')

eachDatabase((_kind, open) => {
  let database: Database
  let audit: AuditStore
  let minute = 0
  const clock = () => new Date(START + minute * 60_000)
  before(async () => {
    database = await open()
    audit = auditStore(database)
  })
  const stores = () => storesOf(database, { clock })
  const link = () => linkEntries(stores())
  /** Records one entry per minute. */
  const record = async (count: number, subject = 'someone') => {
    for (let index = 0; index < count; index++) {
      minute++
      await stores().change(({ record: add }) =>
        add({ action: 'account.enable', subject, details: { index } }),
      )
    }
  }
  const verify = (expect?: Anchor) => verifyAudit({ expect }, stores())
  const rows = () => database.query.selectFrom('audit_entry').selectAll().orderBy('id').execute()
  const clear = async () => {
    await database.query.deleteFrom('audit_entry').execute()
    await database.query.deleteFrom('audit_chain').execute()
  }

  test('an empty log is intact, and unlinked entries are counted', async () => {
    const none = await verify()
    assert.deepEqual(none, {
      verified: 0,
      unlinked: 0,
      end: { seq: 0, hash: '0'.repeat(64) },
      broken: undefined,
    })
    await record(3)
    assert.deepEqual([(await verify()).verified, (await verify()).unlinked], [0, 3])
    assert.equal(await link(), 3)
    assert.equal(await link(), 0)
    const { verified, unlinked, end } = await verify()
    assert.deepEqual([verified, unlinked, end.seq], [3, 0, 3])
  })

  test('a failed change stores neither itself nor an entry', async () => {
    const count = (await rows()).length
    const fields = { id: newAccountId(), email: '', name: 'X', passwordHash: undefined, createdAt: clock() }
    const failing = stores().change(async ({ accounts, record: add }) => {
      assert.ok(await accounts.insert({ ...fields, username: 'failing' as never }))
      await add({ action: 'account.add', subject: 'failing' })
      throw new Error('after all')
    })
    await assert.rejects(failing, /after all/)
    assert.equal(await accountStore(database).findById(fields.id), undefined)
    assert.equal((await rows()).length, count)
  })

  test('text that no database accepts is stored with replacements, and verifies', async () => {
    minute++
    await stores().change(({ record: add }) =>
      add({ action: 'account.link', subject: 'a\0b\ud800', details: { text: 'c\0d\udfff“ü”' } }),
    )
    await link()
    assert.equal((await verify()).broken, undefined)
    const [newest] = (await listAudit({ limit: 1, authority: deciding() }, stores())).entries
    assert.equal(newest?.subject, 'a\ufffdb\ufffd')
    assert.deepEqual(JSON.parse(newest.details), { text: 'c\0d\udfff“ü”' })
  })

  test('concurrent linking links each entry once, while changes continue', async () => {
    const before = (await verify()).end.seq
    const work = Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? link() : record(1)))
    await Promise.all(work)
    await link()
    const { broken, unlinked, end } = await verify()
    assert.deepEqual([broken, unlinked, end.seq], [undefined, 0, before + 30])
  })

  describe('tampering with the log is noticed', () => {
    let whole: AuditEntryTable[]
    let chain: { base_seq: number; base_hash: string; seq: number; hash: string; id: number }
    let end: Anchor
    before(async () => {
      await clear()
      await record(9)
      await link()
      whole = await rows()
      chain = await database.query.selectFrom('audit_chain').selectAll().executeTakeFirstOrThrow()
      end = (await verify()).end
    })
    const put = async (all: readonly AuditEntryTable[], head = chain) => {
      await clear()
      if (all.length > 0) await database.query.insertInto('audit_entry').values(all).execute()
      await database.query.insertInto('audit_chain').values(head).execute()
    }
    const at = (seq: number) => whole.find((row) => row.seq === seq) ?? assert.fail()
    const others = (...gone: readonly number[]) => whole.filter(({ seq }) => !gone.includes(seq ?? 0))
    /** Links the rows again, like an attacker who knows how it is done. */
    const rechained = (all: readonly AuditEntryTable[]) => {
      let last: Anchor = { seq: 0, hash: '0'.repeat(64) }
      const linked = all.map((row) => {
        const link = { seq: last.seq + 1, previousHash: last.hash }
        const entry = { ...row, at: new Date(row.at) } as unknown as LinkedEntry
        const hash = hashOf(entry, link)
        last = { seq: link.seq, hash }
        return { ...row, seq: link.seq, previous_hash: link.previousHash, hash }
      })
      return { linked, head: { ...chain, seq: last.seq, hash: last.hash } }
    }

    const changed: Partial<AuditEntryTable>[] = [
      { id: '0193-other' },
      { at: 1 },
      { actor: 'operator' },
      { source: '192.0.2.1' },
      { action: 'account.disable' },
      { subject: 'someone else' },
      { details: '{}' },
      { previous_hash: 'f'.repeat(64) },
      { hash: 'f'.repeat(64) },
    ]
    for (const column of changed) {
      test(`changed: ${Object.keys(column)}`, async () => {
        await put([...others(5), { ...at(5), ...column }])
        const { broken, verified, end: last } = await verify()
        assert.deepEqual([broken?.seq, verified, last.seq], [5, 4, 4])
      })
    }

    for (const gone of [[1], [5], [9], [4, 5, 6], [8, 9]]) {
      test(`removed: ${gone}`, async () => {
        await put(others(...gone))
        const { broken } = await verify()
        assert.equal(broken?.seq, gone[0])
        assert.match(broken?.why ?? '', /^it is missing: /)
      })
    }

    test('removed: all of them', async () => {
      await put([])
      assert.equal((await verify()).broken?.seq, 1)
    })

    test('reordered', async () => {
      await put([...others(4, 5), { ...at(4), seq: 5 }, { ...at(5), seq: 4 }])
      assert.equal((await verify()).broken?.seq, 4)
    })

    test('taken out of the chain, as if not linked yet', async () => {
      await put([...others(5), { ...at(5), seq: null, previous_hash: null, hash: null }])
      const { broken, unlinked } = await verify()
      assert.deepEqual([broken?.seq, unlinked], [5, 1])
    })

    test('inserted in the middle, with all later entries moved', async () => {
      const moved = whole.map((row) => ({ ...row, seq: (row.seq ?? 0) > 5 ? (row.seq ?? 0) + 1 : row.seq }))
      await put([...moved, { ...at(5), id: '0193-new', seq: 6 }], { ...chain, seq: 10 })
      assert.equal((await verify()).broken?.seq, 6)
    })

    test('cut at its beginning, as if configured', async () => {
      const head = { ...chain, base_seq: 2, base_hash: at(2).hash ?? '' }
      await put(others(1, 2), head)
      const why = 'it and earlier entries were removed, and no entry records this'
      assert.deepEqual((await verify()).broken, { seq: 2, why })
      assert.deepEqual((await verify(end)).broken, { seq: 2, why })
      const said = { ...at(9), action: 'audit.remove', subject: '2', details: '{"entries":2,"hash":"ff"}' }
      await put(
        [...others(1, 2), { ...said, id: '0193-other', seq: null, previous_hash: null, hash: null }],
        head,
      )
      assert.deepEqual((await verify()).broken, { seq: 2, why })
    })

    test('added after the end', async () => {
      const entry = { ...at(9), id: '0193-new' }
      const { linked } = rechained([...whole, entry])
      await put(linked)
      const { broken } = await verify()
      assert.deepEqual([broken?.seq, broken?.why], [10, 'it was added after the end of the chain'])
    })

    test('cut off or rewritten at its end, noticed with the output of an earlier verification', async () => {
      await put(others(8, 9), { ...chain, seq: 7, hash: at(7).hash ?? '' })
      assert.equal((await verify()).broken, undefined, 'nothing in the database shows it')
      assert.match((await verify(end)).broken?.why ?? '', /^it is missing, although entry 9 is expected/)
      const { linked, head } = rechained(others(5))
      await put(linked, head)
      assert.equal((await verify()).broken, undefined, 'nothing in the database shows it')
      assert.equal((await verify(end)).broken?.seq, 9)
      const middle = { seq: 6, hash: at(6).hash ?? '' }
      assert.match((await verify(middle)).broken?.why ?? '', /its hash is not the expected one/)
    })

    test('an intact log passes, even against every earlier end', async () => {
      await put(whole)
      for (const { seq, hash } of whole) {
        assert.equal((await verify({ seq: seq ?? 0, hash: hash ?? '' })).broken, undefined)
      }
      assert.equal((await verify({ seq: 0, hash: '0'.repeat(64) })).broken, undefined)
    })
  })

  test('removes old entries only from the beginning, and records the removal', async () => {
    await clear()
    await record(1200)
    await link()
    const { end } = await verify()
    const at = async (seq: number) => (await audit.linkedAfter(seq - 1, 1))[0] ?? assert.fail()
    const [third, before] = [await at(3), (await at(701)).at]
    // Three batches, each at the worst moment: the verification has just read where the chain begins.
    let batches = 0
    const hindered: typeof audit = {
      ...audit,
      chain: async () => {
        const chain = await audit.chain()
        if (batches++ < 3) await removeOldEntries(before, 50, stores().change)
        return chain
      },
    }
    const meanwhile = await verifyAudit({ expect: end }, { ...stores(), audit: hindered })
    assert.deepEqual([meanwhile.broken, meanwhile.verified], [undefined, 1050])
    let removed = 150
    for (let batch = 500; batch === 500; removed += batch) {
      batch = await removeOldEntries(before, 500, stores().change)
    }
    assert.equal(removed, 700)
    await link()
    const verdict = await verify(end)
    assert.deepEqual([verdict.broken, verdict.verified, verdict.end.seq], [undefined, 505, 1205])
    assert.match((await verify(third)).broken?.why ?? '', /^entry 3 was removed as configured/)
    const told = await audit.list({ action: 'audit.remove' }, { limit: 9 })
    assert.deepEqual(
      told.map(({ subject, actor }) => [subject, actor]),
      [
        ['700', TESTER.actor],
        ['650', TESTER.actor],
        ['150', TESTER.actor],
        ['100', TESTER.actor],
        ['50', TESTER.actor],
      ],
    )
    assert.equal(await removeOldEntries(before, 500, stores().change), 0)
    assert.equal((await audit.list({ action: 'audit.remove' }, { limit: 9 })).length, told.length)
  })

  test('lists newest first, by every filter, a page at a time, and exports oldest first', async () => {
    await clear()
    await record(3, 'ada')
    await record(4, 'bob')
    const from = clock()
    await record(5, 'ada')
    const count = async (filter: Parameters<AuditStore['list']>[0]) =>
      (await listAudit({ ...filter, limit: 99, authority: deciding() }, stores())).entries.length
    assert.equal(await count({}), 12)
    assert.equal(await count({ subject: 'ada' }), 8)
    assert.equal(await count({ subject: 'ada', since: from }), 5)
    assert.equal(await count({ until: from }), 6)
    assert.equal(await count({ since: from, until: new Date(from.getTime() + 1) }), 1)
    assert.equal(await count({ actor: TESTER.actor, action: 'account.enable' }), 12)
    assert.equal(await count({ actor: 'operator' }), 0)
    assert.equal(await count({ action: 'account.disable' }), 0)
    const listed: string[] = []
    for (let before: Awaited<ReturnType<typeof listAudit>>['next']; ; ) {
      const page = await listAudit({ subject: 'ada', before, limit: 3, authority: deciding() }, stores())
      assert.ok(page.entries.length <= 3)
      listed.push(...page.entries.map(({ id }) => id))
      before = page.next
      if (before === undefined) break
    }
    assert.equal(new Set(listed).size, 8)
    assert.deepEqual(listed, listed.toSorted().reverse())
    const exported: unknown[] = []
    for await (const page of auditPages({ filter: { subject: 'ada' }, authority: deciding() }, stores()))
      exported.push(...page.map(({ id }) => id))
    assert.deepEqual(exported, listed.toReversed())
  })
})
