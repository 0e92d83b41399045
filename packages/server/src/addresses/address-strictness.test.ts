/** Compares our use of ipaddr.js with Node's own parsers and IANA's registries: ours is never laxer than these. */
import assert from 'node:assert/strict'
import { BlockList, isIP, isIPv4 } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { addressKey, addressOf, parsedAddress } from './address.ts'
import { addressRange, classOf, isInNetworks, isNetwork } from './address-classes.ts'

/** Spellings that ipaddr.js accepts and we refuse, because programs disagree about which address they mean. */
const LAX = [
  ...['127.1', '127.0.1', '2130706433', '0x7f.0.0.1', '0x7f000001', '010.0.0.1', '0127.0.0.1', '10.0.0.010'],
]
for (const text of LAX) {
  test(`Guarantee: ${text} is not an address`, () => {
    assert.equal(ipaddr.isValid(text), true, 'ipaddr.js accepts it')
    assert.equal(parsedAddress(text), undefined)
    assert.equal(addressKey(text), undefined)
    assert.equal(addressOf({ ip: text }), 'unknown')
    assert.equal(classOf(text), 'reserved')
    assert.equal(isInNetworks(text, ['0.0.0.0/0', '::/0']), false)
    assert.equal(isNetwork(text), false)
    assert.equal(isNetwork(`${text}/8`), false)
    assert.equal(addressRange(`${text}/8`), undefined)
  })
}

const CHARACTERS = [...'0123456789abcdefxX.:%/ [']
const text = fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 24 })
const address = fc.oneof(fc.ipV4(), fc.ipV6(), fc.ipV4Extended())
const runs = { numRuns: 2_000 }

test('Guarantee: parses exactly what Node accepts as an address, except zones', () => {
  fc.assert(
    fc.property(fc.oneof(text, address), (one) => {
      assert.equal(parsedAddress(one) !== undefined, isIP(one) !== 0 && !one.includes('%'))
    }),
    runs,
  )
})

/** Returns the groups of an address in the canonical form of the URL parser. */
function groupsIn(ipv6: string): readonly number[] {
  const [head = '', tail = ''] = new URL(`http://[${ipv6}]`).hostname.slice(1, -1).split('::')
  const groups = (part: string) =>
    part.split(':').flatMap((group) => (group === '' ? [] : Number.parseInt(group, 16)))
  const [start, end] = [groups(head), groups(tail)]
  return [...start, ...Array.from({ length: 8 - start.length - end.length }, () => 0), ...end]
}

test('parses the same address as the URL parser and Node', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (one) => {
      const parsed = parsedAddress(one) ?? assert.fail(one)
      const expected = isIPv4(one) ? one.split('.').map(Number) : groupsIn(one)
      assert.deepEqual('octets' in parsed ? parsed.octets : parsed.parts, expected)
      const exact = new BlockList()
      exact.addAddress(one, isIPv4(one) ? 'ipv4' : 'ipv6')
      assert.ok(exact.check(parsed.toString(), isIPv4(one) ? 'ipv4' : 'ipv6'))
    }),
    runs,
  )
})

/** IANA's registries of special addresses as of November 2026, by the class that an operator can allow. */
const REGISTRY = {
  loopback: ['127.0.0.0/8', '::1/128'],
  'link-local': ['169.254.0.0/16', 'fe80::/10', 'fd00:ec2::254/128'],
  private: [
    ...['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', '198.18.0.0/15'],
    ...['fc00::/7', 'fec0::/10', '64:ff9b:1::/48'],
  ],
  reserved: [
    ...['0.0.0.0/8', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.51.100.0/24', '203.0.113.0/24'],
    ...['224.0.0.0/4', '240.0.0.0/4', '2001::/23', '2001:db8::/32', '3fff::/20'],
    // These are public but belong to no single server: AS112 and AMT.
    ...['192.31.196.0/24', '192.52.193.0/24', '192.175.48.0/24', '2620:4f:8000::/48'],
  ],
} as const
const PUBLIC = listOf(['0.0.0.0/0', '2000::/3'])
const LISTS = Object.entries(REGISTRY).map(([name, networks]) => [name, listOf(networks)] as const)

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [first = '', bits] = network.split('/')
    list.addSubnet(first, Number(bits), isIPv4(first) ? 'ipv4' : 'ipv6')
  }
  return list
}

function registeredClass(one: string): string {
  const family = isIPv4(one) ? 'ipv4' : 'ipv6'
  const found = LISTS.find(([, list]) => list.check(one, family))?.[0]
  return found ?? (PUBLIC.check(one, family) ? 'public' : 'reserved')
}

const NETWORKS = Object.values(REGISTRY).flat()
/** The first and the last address of each network, and their neighbours. */
const edges = NETWORKS.flatMap((network) => {
  const { first, last } = addressRange(network) ?? assert.fail(network)
  const four = isIPv4(network.split('/')[0] ?? '')
  const of = (key: bigint) => textOf(key, four)
  return [
    BigInt(`0x${first}`) - 1n,
    BigInt(`0x${first}`),
    BigInt(`0x${last}`),
    BigInt(`0x${last}`) + 1n,
  ].flatMap(of)
})

function textOf(key: bigint, four: boolean): readonly string[] {
  const number = four ? key - (0xffffn << 32n) : key
  if (number < 0n || number >= 1n << (four ? 32n : 128n)) return []
  const bytes = [...Array(four ? 4 : 16).keys()].map((at) =>
    Number((number >> BigInt((four ? 3 - at : 15 - at) * 8)) & 255n),
  )
  return [ipaddr.fromByteArray(bytes).toString()]
}

test('Guarantee: an address is public only if the registries say so, even at the edges of each network', () => {
  assert.ok(edges.length > 4 * 20)
  const contains = listOf(['2002::/16', '64:ff9b::/96', '::ffff:0:0/96', '::ffff:0:0:0/96', '::/96'])
  const check = (one: string) => {
    // These have the class of the IPv4 address in them: addresses/address-classes.test.ts.
    if (!isIPv4(one) && !['::', '::1'].includes(one) && contains.check(one, 'ipv6')) return
    assert.equal(classOf(one), registeredClass(one), one)
  }
  for (const one of edges) check(one)
  fc.assert(fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), check), runs)
})
