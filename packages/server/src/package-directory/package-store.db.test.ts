import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { eachDatabase } from '../../test/support/databases.ts'
import { storesWith } from '../../test/support/stores.ts'
import { RequestError } from '../errors.ts'
import { listPackages } from './list.ts'
import { type PackageStore, packageStore } from './package-store.ts'
import { resolvePackages } from './resolve.ts'

const entries = (count: number, prefix = 'p') =>
  Array.from({ length: count }, (_, index) => ({
    name: `${prefix}${String(index).padStart(4, '0')}`,
    snapId: `${prefix}-id-${index}`,
  }))

eachDatabase((_kind, open) => {
  let packages: PackageStore
  before(async () => {
    packages = packageStore(await open())
  })
  beforeEach(() => packages.import([], { replaceAll: true }))
  const all = async () => {
    const found = []
    for await (const entry of listPackages(storesWith({ packages }))) found.push(entry)
    return found
  }

  test('lists imported packages by name, over several pages', async () => {
    assert.equal(await packages.isEmpty(), true)
    const done: number[] = []
    await packages.import(entries(1201).reverse(), {
      replaceAll: false,
      onProgress: (count) => done.push(count),
    })
    assert.equal(await packages.isEmpty(), false)
    assert.deepEqual(await all(), entries(1201))
    assert.deepEqual(done, [200, 400, 600, 800, 1000, 1200, 1201])
  })

  test('an import adds packages, changes names and ids, and with replaceAll removes the rest', async () => {
    await packages.import(entries(3), { replaceAll: false })
    await packages.import(
      [
        { name: 'renamed', snapId: 'p-id-0' },
        { name: 'p0001', snapId: 'another-id' },
      ],
      { replaceAll: false },
    )
    assert.deepEqual(await all(), [
      { name: 'p0001', snapId: 'another-id' },
      { name: 'p0002', snapId: 'p-id-2' },
      { name: 'renamed', snapId: 'p-id-0' },
    ])
    await packages.import(entries(1, 'q'), { replaceAll: true })
    assert.deepEqual(await all(), entries(1, 'q'))
  })

  test('a failed import changes nothing', async () => {
    await packages.import(entries(3), { replaceAll: false })
    const twice = [...entries(300, 'q'), ...entries(1, 'q')].map((entry, index) => ({
      ...entry,
      snapId: `same-${index % 300}`,
    }))
    await assert.rejects(
      packages.import([...twice.slice(0, 150), ...twice.slice(0, 150)], { replaceAll: true }),
    )
    assert.deepEqual(await all(), entries(3))
  })

  test('returns the ids of known names only', async () => {
    await packages.import(entries(3), { replaceAll: false })
    assert.deepEqual(await packages.idsOf(['p0001', 'unknown']), new Map([['p0001', 'p-id-1']]))
    assert.deepEqual(await packages.idsOf([]), new Map())
  })

  test('a package name is its own id without a directory, and must be in the directory otherwise', async () => {
    const deps = storesWith({ packages })
    assert.deepEqual(await resolvePackages([{ name: 'foo' }, { snap_id: 'bar' }, { name: 'foo' }], deps), [
      'foo',
      'bar',
    ])
    await packages.import(entries(1), { replaceAll: false })
    assert.deepEqual(await resolvePackages([{ name: 'p0000' }, { name: 'p0000', snap_id: 'p-id-0' }], deps), [
      'p-id-0',
    ])
    for (const reference of [{ name: 'foo' }, { name: 'p0000', snap_id: 'other' }]) {
      await assert.rejects(
        resolvePackages([reference], deps),
        (error) => error instanceof RequestError && error.code === 'package-not-found',
      )
    }
  })
})
