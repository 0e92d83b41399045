import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Networks, networksOf } from '../addresses/address.ts'
import { Shares } from './shares.ts'

const takeAll = (shares: Shares, networks: Networks): number => {
  let taken = 0
  while (shares.take(networks)) taken += 1
  return taken
}

test('a single address gets half, and every later one gets some', () => {
  const shares = new Shares(1_000)
  assert.equal(takeAll(shares, networksOf('192.0.2.1')), 500)
  assert.equal(takeAll(shares, networksOf('198.51.100.1')), 250)
  for (let i = 0; i < 5; i++) assert.ok(takeAll(shares, networksOf(`10.${i}.0.1`)) > 0, `address ${i}`)
})

for (const [what, of] of [
  ['an IPv4 /24', (i: number) => `192.0.2.${i % 256}`],
  ['an IPv6 /48', (i: number) => `2001:db8:1:${i.toString(16)}::1`],
] as const) {
  test(`${what} leaves a third, however many addresses it has`, () => {
    const shares = new Shares(1_000)
    for (let i = 0; i < 2_000; i++) shares.take(networksOf(of(i)))
    assert.equal(shares.taken, 667)
  })
}

for (const [what, of] of [
  ['an IPv4 /16', (i: number) => `192.0.${i % 256}.1`],
  ['an IPv6 /32', (i: number) => `2001:db8:${i.toString(16)}::1`],
] as const) {
  test(`${what} leaves a fifth, however many networks it has`, () => {
    const shares = new Shares(1_000)
    for (let i = 0; i < 2_000; i++) shares.take(networksOf(of(i)))
    assert.equal(shares.taken, 800)
  })
}

test('gives out the last one, and again after it was given back', () => {
  const shares = new Shares(1)
  const [a, b] = [networksOf('192.0.2.1'), networksOf('198.51.100.1')]
  assert.ok(shares.take(a))
  assert.equal(shares.take(b), false)
  shares.giveBack(a)
  assert.ok(shares.take(b))
})

test('never gives out more than the total, and gets everything back', () => {
  const someone = fc
    .tuple(fc.nat({ max: 3 }), fc.nat({ max: 3 }), fc.nat({ max: 3 }))
    .map(([a, b, c]) => networksOf(`10.${a}.${b}.${c}`))
  fc.assert(
    fc.property(fc.array(fc.tuple(someone, fc.integer({ min: 1, max: 600 }))), (wishes) => {
      const shares = new Shares(1_000)
      const got = wishes.filter(([networks, amount]) => shares.take(networks, amount))
      const sum = got.reduce((total, [, amount]) => total + amount, 0)
      assert.ok(sum <= 1_000)
      assert.equal(shares.taken, sum)
      for (const [networks, amount] of got) shares.giveBack(networks, amount)
      assert.equal(shares.taken, 0)
      assert.equal(takeAll(shares, networksOf('192.0.2.1')), 500)
    }),
  )
})
