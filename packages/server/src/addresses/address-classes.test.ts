import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AddressClass, classOf, isInNetworks, isNetwork } from './address-classes.ts'

const EXPECTED: Readonly<Record<AddressClass, readonly string[]>> = {
  public: [
    ...['8.8.8.8', '11.0.0.1', '172.32.0.1', '192.169.0.1', '100.128.0.1', '223.255.255.255', '1.1.1.1'],
    ...['2606:4700::1111', '2a00:1450::1', '::ffff:8.8.8.8', '2002:808:808::1', '64:ff9b::808:808'],
  ],
  private: [
    ...[
      '10.0.0.5',
      '10.255.255.255',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '100.64.0.1',
      '198.18.0.1',
    ],
    ...['fc00::1', 'fd12:3456::1', 'fec0::1', '64:ff9b:1::a00:1'],
    ...['::ffff:10.0.0.5', '::FFFF:a00:5', '0:0:0:0:0:ffff:0a00:0005', '::ffff:0:10.0.0.5', '::10.0.0.5'],
    ...['2002:a00:5::1', '64:ff9b::10.0.0.5', '64:ff9b::c0a8:101'],
  ],
  loopback: [
    ...['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '::ffff:7f00:1'],
    ...['2002:7f00:1::', '64:ff9b::127.0.0.1', '::127.0.0.1'],
  ],
  'link-local': [
    ...['169.254.169.254', '169.254.0.0', 'fe80::1', 'fe80::1%eth0', 'febf::1', 'fd00:ec2::254'],
    ...['::ffff:169.254.169.254', '2002:a9fe:a9fe::', '64:ff9b::169.254.169.254'],
  ],
  reserved: [
    ...[
      '0.0.0.0',
      '0.1.2.3',
      '192.0.2.1',
      '198.51.100.1',
      '203.0.113.1',
      '224.0.0.1',
      '255.255.255.255',
      '240.0.0.1',
    ],
    ...[
      '::',
      'ff02::1',
      '2001::1',
      '2001:db8::1',
      '3fff::1',
      '4000::1',
      '2001:0:7f00:1::1',
      '::ffff:0.0.0.0',
    ],
    ...['', 'localhost', '127.1', '2130706433', '0x7f.1', '1.2.3.4.5', '::g'],
  ],
}
for (const [expected, addresses] of Object.entries(EXPECTED)) {
  for (const address of addresses) {
    test(`${address || 'nothing'} is ${expected}`, () => assert.equal(classOf(address), expected))
  }
}

for (const [address, networks, expected] of [
  ['10.20.1.4', ['10.20.0.0/16'], true],
  ['::ffff:10.20.1.4', ['10.20.0.0/16'], true],
  ['64:ff9b::10.20.1.4', ['10.20.0.0/16'], true],
  ['10.21.1.4', ['10.20.0.0/16', '192.168.0.7'], false],
  ['192.168.0.7', ['10.20.0.0/16', '192.168.0.7'], true],
  ['192.168.0.8', ['10.20.0.0/16', '192.168.0.7'], false],
  ['fd12::7', ['fd12::/32'], true],
  ['fd12::7%eth0', ['fd12::/32'], true],
  ['fd13::7', ['fd12::/32'], false],
  ['10.20.1.4', [], false],
  ['nothing', ['0.0.0.0/0'], false],
] as const) {
  test(`${address} is ${expected ? '' : 'not '}in ${networks.join(', ') || 'no network'}`, () =>
    assert.equal(isInNetworks(address, networks), expected))
}

for (const [text, expected] of [
  ['10.0.0.0/8', true],
  ['10.0.0.5', true],
  ['fd00::/8', true],
  ['10.0.0.0/33', false],
  ['fd00::/129', false],
  ['10.0.0.0/', false],
  ['10.0.0.0/8/8', false],
  ['10.0.0/8', false],
  ['fe80::1%eth0', false],
  ['corp', false],
  ['', false],
] as const) {
  test(`${text || 'nothing'} is ${expected ? '' : 'not '}a network`, () =>
    assert.equal(isNetwork(text), expected))
}
