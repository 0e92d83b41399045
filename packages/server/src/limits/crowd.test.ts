import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networksOf } from '../addresses/address.ts'
import { Crowd } from './crowd.ts'

const crowdOf = (...addresses: readonly string[]) => {
  const crowd = new Crowd<string>()
  for (const [index, address] of addresses.entries()) crowd.add(networksOf(address), `${index}`)
  return crowd
}

test('the oldest member of the biggest network gives up its place to another network', () => {
  const crowd = crowdOf('192.0.2.1', '198.51.100.1', '198.51.100.1', '198.51.100.1')
  assert.equal(crowd.replaceableBy(networksOf('203.0.113.1')), '1')
  assert.equal(crowd.replaceableBy(networksOf('192.0.2.1')), '1')
  assert.equal(crowd.replaceableBy(networksOf('198.51.100.1')), undefined)
  assert.equal(crowd.oldestOfMost(), '1')
})

test('no member gives up its place if the newcomer’s network would then have as many', () => {
  const crowd = crowdOf('192.0.2.1', '198.51.100.1', '198.51.100.1')
  assert.equal(crowd.replaceableBy(networksOf('192.0.2.1')), undefined)
  assert.equal(crowdOf('192.0.2.1').replaceableBy(networksOf('203.0.113.1')), undefined)
  assert.equal(crowdOf().replaceableBy(networksOf('203.0.113.1')), undefined)
})

for (const [what, of] of [
  ['the addresses of an IPv4 /24', (i: number) => `192.0.2.${i}`],
  ['the networks of an IPv4 /16', (i: number) => `192.0.${i}.1`],
  ['the /64s of an IPv6 /48', (i: number) => `2001:db8:1:${i}::1`],
  ['the /48s of an IPv6 /32', (i: number) => `2001:db8:${i}::1`],
] as const) {
  test(`${what} count together against all other networks`, () => {
    const crowd = crowdOf('203.0.113.7', '203.0.113.7', ...Array.from({ length: 5 }, (_, i) => of(i)))
    assert.equal(crowd.replaceableBy(networksOf('8.8.8.8')), '2')
    assert.equal(crowd.replaceableBy(networksOf('203.0.113.8')), '2')
    assert.equal(crowd.replaceableBy(networksOf(of(9))), undefined)
  })
}

test('within the provider that has the most places, a quiet customer takes one from the busiest customer', () => {
  const crowd = crowdOf('192.0.2.1', '192.0.2.1', '192.0.2.2', '192.0.7.1', '8.8.8.8')
  assert.equal(crowd.replaceableBy(networksOf('192.0.9.9')), '0')
  assert.equal(crowd.replaceableBy(networksOf('192.0.2.9')), '0')
  assert.equal(crowd.replaceableBy(networksOf('192.0.2.2')), undefined)
})

test('forgets a member that leaves, and leaving twice changes nothing', () => {
  const crowd = crowdOf('192.0.2.1', '192.0.2.1', '192.0.2.1', '8.8.8.8')
  const networks = networksOf('192.0.2.1')
  for (const member of ['0', '0', '1', 'unknown']) crowd.delete(networks, member)
  crowd.delete(networksOf('203.0.113.1'), '0')
  assert.equal(crowd.size, 2)
  assert.equal(crowd.replaceableBy(networksOf('203.0.113.1')), undefined)
  crowd.delete(networks, '2')
  crowd.delete(networksOf('8.8.8.8'), '3')
  assert.deepEqual([crowd.size, crowd.oldestOfMost()], [0, undefined])
})
