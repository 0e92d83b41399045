/** Tests what remembered logins keep in memory. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newAccountId, newSessionId } from '@ratafia/api'
import type { CacheFreshness } from '../../database/index.ts'
import type { Authentication } from './authentication.ts'
import { rememberedLogins } from './remembered-logins.ts'

const clock = () => new Date('2026-01-27T10:12:02.822Z')
const NO_LIMITS = { channels: null, packages: null, permissions: null, storeIds: null }

function memory() {
  const memories: CacheFreshness['memories'] = new Map()
  const freshness: CacheFreshness = {
    ...{ position: 0, memories, current: () => true, subscribe: () => {} },
    ...{ lag: () => 0, close: async () => {} },
  }
  const logins = rememberedLogins(freshness, { clock })
  return { logins, size: () => memories.get('login')?.().size }
}

const account = { id: newAccountId(), username: 'anna', email: 'anna@example.com', name: 'Anna' }
const login = (attenuations: Authentication['attenuations']): Authentication => ({
  // Each login has its own objects, as requests create them.
  account: structuredClone(account) as Authentication['account'],
  attenuations: structuredClone(attenuations),
  ...{ sessionId: newSessionId(), expires: '2026-02-27T10:12:02.822', until: clock().getTime() + 1_000 },
})

test('returns logins unchanged, and equal accounts and limits share one object', async () => {
  const { logins } = memory()
  const limited = { ...NO_LIMITS, permissions: ['package_access'] }
  const given = [login(limited), login(limited), login(NO_LIMITS)]
  for (const [at, one] of given.entries()) await logins.remember(String(at), async () => one)
  const [first, second, other] = ['0', '1', '2'].map((digest) => logins.find(digest) ?? assert.fail())
  assert.deepEqual([first, second, other], given)
  assert.equal(first?.account, other?.account)
  assert.equal(first?.attenuations, second?.attenuations)
})

test('logins from before a change of their account keep the old account', async () => {
  const { logins } = memory()
  await logins.remember('before', async () => login(NO_LIMITS))
  const renamed = login(NO_LIMITS)
  await logins.remember('after', async () => ({
    ...renamed,
    account: { ...renamed.account, name: 'Anna B.' },
  }))
  assert.deepEqual(
    [logins.find('before')?.account.name, logins.find('after')?.account.name],
    ['Anna', 'Anna B.'],
  )
})

test('Guarantee: tokens with as many limits as fit into a header do not fill the memory', async () => {
  const long = (at: number) => Array.from({ length: 60 }, (_, which) => `${at}-${which}-`.padEnd(1_000, 'x'))
  // A string of two characters takes 32 bytes.
  const many = (at: number) =>
    Array.from({ length: 256 }, (_, which) => String.fromCodePoint(0x4e00 + at, which))
  for (const [packages, least, most] of [
    [long, 300, 500],
    [many, 2_500, 3_000],
  ] as const) {
    const { logins, size } = memory()
    for (let at = 0; at < 4_000; at++) {
      // A holder can narrow one token in many different ways, and each copy has another digest.
      await logins.remember(String(at), async () => login({ ...NO_LIMITS, packages: packages(at) }))
    }
    const remembered = size() ?? assert.fail()
    assert.ok(remembered > least && remembered < most, `${remembered}`)
  }
})
