import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangeKind } from '../database/index.ts'
import { rememberedBrands } from './remembered-brands.ts'

const memoryOf = (state: { readonly current?: boolean; readonly unannounced?: readonly ChangeKind[] }) => {
  const { current = true, unannounced = [] } = state
  const isCurrent = (...kinds: readonly ChangeKind[]) =>
    current && !kinds.some((kind) => unannounced.includes(kind))
  const freshness = { current: isCurrent, subscribe: () => {}, memories: new Map() }
  return rememberedBrands(freshness, () => new Date()).current()
}

test('Guarantee: nothing is cached while the node may miss changes of the rows it depends on', () => {
  assert.equal(memoryOf({ current: false }), undefined)
  for (const kind of ['assertion', 'trust-root', 'signing-key', 'brand'] as const) {
    assert.equal(memoryOf({ unannounced: ['account', kind] }), undefined, kind)
  }
})

test('changes of other kinds do not matter', () => {
  assert.ok(memoryOf({}))
  assert.ok(memoryOf({ unannounced: ['account', 'device', 'model'] }))
})
