/** Guarantee: a search finds exactly the devices whose serial contains the text, after any changes to the register. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { eachDatabase } from '../../../test/support/databases.ts'
import { type Database, insertMany } from '../index.ts'
import { contains } from './expressions.ts'
import { devicesByParts } from './serial-parts.ts'

const BRANDS = ['acme', 'best'] as const

eachDatabase((kind, open) => {
  let database: Database
  let ids = 0
  before(async () => {
    database = await open()
  })

  const row = (serial: string, brand: string) => {
    const id = `d${++ids}`
    return {
      ...{
        id,
        bucket: 1,
        brand_id: brand,
        model: 'm',
        serial,
        device_key_id: id,
        status: 'pending' as const,
      },
      ...{ origin: 'import' as const, registered_at: 1, request: Buffer.from('x') },
    }
  }
  const add = async (serial: string, brand: string = BRANDS[0], { query }: Database = database) => {
    const added = row(serial, brand)
    await query.insertInto('device').values(added).execute()
    return added.id
  }
  const rename = (id: string, serial: string) =>
    database.query.updateTable('device').set({ serial }).where('id', '=', id).execute()
  const remove = (id: string) => database.query.deleteFrom('device').where('id', '=', id).execute()

  const search = async (text: string, brand?: string, { query }: Database = database) => {
    const by = devicesByParts(query, text, brand) ?? assert.fail()
    const { rows } = await sql<{ id: string; serial: string }>`select id, serial from ${by.from}
      where ${contains(query, 'device.serial', text)} order by id`.execute(query)
    return rows.map(({ serial }) => serial)
  }

  test('finds any part, and distinguishes case and punctuation', async () => {
    const serial = `Qa-1"%_*'é\u{1f600}x`
    await add(serial)
    const characters = [...serial]
    for (let from = 0; from + 3 <= characters.length; from++) {
      for (let to = from + 3; to <= characters.length; to++) {
        const part = characters.slice(from, to).join('')
        assert.deepEqual(await search(part), [serial], part)
      }
    }
    for (const other of ['qa-', 'Qa_', '1"_', 'a-1%', 'é\u{1f601}x', 'AND', '" OR "']) {
      assert.deepEqual(await search(other), [], other)
    }
  })

  test('has no index for a string of one or two characters', () => {
    for (const text of ['', 'a', 'ab', '\u{1f600}\u{1f600}']) {
      assert.equal(devicesByParts(database.query, text, undefined), undefined)
    }
  })

  test('finds the devices of one brand only', async () => {
    await add('brand-1', 'acme')
    await add('brand-2', 'best')
    assert.deepEqual(await search('brand-'), ['brand-1', 'brand-2'])
    assert.deepEqual(await search('brand-', 'best'), ['brand-2'])
    assert.deepEqual(await search('brand-', 'cook'), [])
    assert.deepEqual(await search('brand best'), [])
  })

  test('follows serials that are given, changed or removed, and many added at once', async () => {
    const id = await add('')
    await rename(id, 'given-1')
    assert.deepEqual(await search('given'), ['given-1'])
    await rename(id, 'other-1')
    assert.deepEqual([await search('given'), await search('other')], [[], ['other-1']])
    await rename(id, 'ot')
    assert.deepEqual(await search('other'), [])
    await rename(id, 'other-2')
    await remove(id)
    assert.deepEqual(await search('other'), [])
    const many = Array.from({ length: 300 }, (_, index) => row(`many-${index}`, BRANDS[index % 2] ?? ''))
    await insertMany(database.query, 'device', many)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    assert.equal((await search('many-')).length, 300)
    assert.equal((await search('many-', 'acme')).length, 150)
    assert.deepEqual(await search('y-299'), ['many-299'])
  })

  test('does not find a serial whose insert was rolled back', async () => {
    const rolledBack = database.query.transaction().execute(async (query) => {
      await add('undone-1', 'acme', { ...database, query })
      assert.deepEqual(await search('undone', 'acme', { ...database, query }), ['undone-1'])
      throw new Error('undone')
    })
    await assert.rejects(rolledBack, /undone/)
    assert.deepEqual(await search('undone'), [])
  })

  test('agrees with a model after any changes of any serials', async () => {
    const text = fc.string({ unit: fc.constantFrom('A', 'a', '0', '1', '-', '"'), maxLength: 7 })
    const change = fc.record({ at: fc.nat(5), serial: fc.option(text), brand: fc.constantFrom(...BRANDS) })
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 12 }),
        fc.array(text, { maxLength: 5 }),
        async (all, texts) => {
          await database.query.deleteFrom('device').execute()
          const devices: ({ readonly id: string; readonly brand: string; serial: string } | undefined)[] = []
          for (const { at, serial, brand } of all) {
            const there = devices[at]
            if (serial === null) {
              if (there) await remove(there.id)
              devices[at] = undefined
            } else if (there) {
              await rename(there.id, serial)
              there.serial = serial
            } else devices[at] = { id: await add(serial, brand), brand, serial }
          }
          for (const part of texts.filter(({ length }) => length > 2)) {
            for (const brand of [undefined, ...BRANDS]) {
              const expected = devices.flatMap((one) =>
                one && (brand ?? one.brand) === one.brand && one.serial.includes(part) ? [one.serial] : [],
              )
              assert.deepEqual((await search(part, brand)).sort(), expected.sort(), part)
            }
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  if (kind === 'sqlite') {
    test('a vacuum changes nothing, although it can renumber the rows of devices', async () => {
      const ids: string[] = []
      for (let index = 0; index < 20; index++) ids.push(await add(`vacuum-${index}`))
      for (const id of ids.slice(0, 10)) await remove(id)
      await sql`vacuum`.execute(database.query)
      assert.equal((await search('vacuum')).length, 10)
      await remove(ids[15] ?? '')
      assert.deepEqual(await search('vacuum-15'), [])
      assert.deepEqual(await search('vacuum-16'), ['vacuum-16'])
    })
  }
})
