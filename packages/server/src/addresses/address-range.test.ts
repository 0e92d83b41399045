import assert from 'node:assert/strict'
import { BlockList, isIPv4 } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { addressKey } from './address.ts'
import { addressRange } from './address-classes.ts'

const KEYS = {
  '192.0.2.10': '00000000000000000000ffffc000020a',
  '::ffff:192.0.2.10': '00000000000000000000ffffc000020a',
  '::1': '00000000000000000000000000000001',
  '2001:DB8::a': '20010db800000000000000000000000a',
  'fe80::1%eth0': 'fe800000000000000000000000000001',
}

for (const [address, key] of Object.entries(KEYS)) {
  test(`the key of ${address}`, () => assert.equal(addressKey(address), key))
}

for (const text of ['unknown', '', '1.2.3', '1.2.3.400', '2001:db8::/33', 'a b']) {
  test(`${JSON.stringify(text)} has no key`, () => assert.equal(addressKey(text), undefined))
}

for (const text of [
  '',
  'unknown',
  '192.0.2.0/33',
  '192.0.2.0/',
  '192.0.2.0/8/8',
  '::/129',
  '::/-1',
  'fe80::1%0',
]) {
  test(`${JSON.stringify(text)} is not a block`, () => assert.equal(addressRange(text), undefined))
}

test('a block has exactly the keys of its addresses', () => {
  const address = fc.oneof(fc.ipV4(), fc.ipV6())
  fc.assert(
    fc.property(address, address, fc.nat(128), (network, other, some) => {
      const four = isIPv4(network)
      const bits = four ? some % 33 : some
      const range = addressRange(`${network}/${bits}`) ?? assert.fail(network)
      const list = new BlockList()
      list.addSubnet(network, bits, four ? 'ipv4' : 'ipv6')
      for (const one of [network, other]) {
        const key = addressKey(one) ?? assert.fail(one)
        // A block of one family has no addresses of the other, except mapped ones.
        const expected = isIPv4(one) === four ? list.check(one, four ? 'ipv4' : 'ipv6') : undefined
        const found = range.first <= key && key <= range.last
        if (expected !== undefined && !/ffff:/i.test(one))
          assert.equal(found, expected, `${one} ${network}/${bits}`)
      }
    }),
    { numRuns: 500 },
  )
})
