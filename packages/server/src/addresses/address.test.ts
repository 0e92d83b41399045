import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networksOf, plainAddress, sameNetwork } from './address.ts'

for (const [address, key] of [
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8::ffff:1', '2001:db8:0:0::/64'],
  ['2001:DB8:0:0:1::', '2001:db8:0:0::/64'],
  ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::ffff:c000:201', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['0:0:0:0:0:ffff:c000:0201', '192.0.2.1'],
  ['192.0.2.1:40312', '192.0.2.1'],
  ['[2001:db8::1]:40312', '2001:db8:0:0::/64'],
  ['[::ffff:192.0.2.1]:443', '192.0.2.1'],
  ['', 'unknown'],
  ['_hidden', 'unknown'],
  ['192.0.2.1.5', 'unknown'],
  ['192.0.2.256', 'unknown'],
  ['[192.0.2.1', 'unknown'],
  ['x'.repeat(5000), 'unknown'],
] as const) {
  test(`address ${address.slice(0, 40)} is counted as ${key}`, () =>
    assert.equal(networksOf(address)[0], key))
}

for (const [address, middle, wide] of [
  ['192.0.2.77', '192.0.2.0/24', '192.0.0.0/16'],
  ['::ffff:192.0.2.77', '192.0.2.0/24', '192.0.0.0/16'],
  ['2001:db8:1:2::1', '2001:db8:1::/48', '2001:db8::/32'],
  ['2001:db8:1:ffff::1', '2001:db8:1::/48', '2001:db8::/32'],
  ['nothing', 'unknown', 'unknown'],
] as const) {
  test(`address ${address} is in the networks ${middle} and ${wide}`, () =>
    assert.deepEqual(networksOf(address).slice(1), [middle, wide]))
}

test('shows an address as people write it', () => {
  assert.equal(plainAddress('::ffff:10.0.0.1'), '10.0.0.1')
  assert.equal(plainAddress('fe80::1%eth0'), 'fe80::1')
})

for (const [a, b, same] of [
  ['192.0.2.1', '::ffff:192.0.2.1', true],
  ['192.0.2.1', '192.0.2.2', false],
  ['2001:db8::1', '2001:db8::2', true],
  ['127.0.0.1', '::1', true],
  ['127.0.0.1', '192.0.2.1', false],
] as const) {
  test(`${a} and ${b} are ${same ? '' : 'not '}in one network`, () => assert.equal(sameNetwork(a, b), same))
}
