import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangeKind } from '../database/index.ts'
import { rememberedBrands } from './remembered-brands.ts'

const memoryOf = (feed: { readonly current?: boolean; readonly unheard?: readonly ChangeKind[] }) => {
  const { current = true, unheard = [] } = feed
  const hearsAll = (...kinds: readonly ChangeKind[]) =>
    current && !kinds.some((kind) => unheard.includes(kind))
  const hearing = { current: hearsAll, subscribe: () => {}, memories: new Map() }
  return rememberedBrands(hearing, () => new Date()).current()
}

test('Guarantee: nothing is remembered while changes of the rows it depends on may be missed', () => {
  assert.equal(memoryOf({ current: false }), undefined)
  for (const kind of ['assertion', 'trust-root', 'signing-key', 'brand'] as const) {
    assert.equal(memoryOf({ unheard: ['account', kind] }), undefined, kind)
  }
})

test('changes of other kinds do not matter', () => {
  assert.ok(memoryOf({}))
  assert.ok(memoryOf({ unheard: ['account', 'device', 'model'] }))
})
