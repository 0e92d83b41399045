// Guarantee: the headers that each type needs are checked, and each refusal has its code.

import { encodePublicKey } from '../src/index.ts'
import { type Mutation, testMutations, without } from './mutations.ts'
import { testKey, vectorText } from './vectors.ts'

const TIME = '2020-01-01T00:00:00Z'
const LATER = '2020-06-01T12:00:00Z'
const KEY_ID = 'Zb7cWdrYyp4seYx_Qku2PFgkPMLY5bU1EgakZjTxRsE0FP00VzlYW1XPqX-jgMFN'

testMutations('account', vectorText('valid/account-acme-brand'), [
  without('display-name', 'Acme-brand'),
  without('validation', 'unproven'),
  without('timestamp', TIME),
  ['display-name: Acme-brand', 'display-name: ', 'empty-header', 'display-name'],
  ['account-id: acme-brand', 'account-id: acme_brand', 'malformed-header', 'account-id'],
  ['account-id: acme-brand', 'account-id: a', 'malformed-header', 'account-id'],
  ['username: acme-brand', 'username:\n  - a', 'malformed-header', 'username'],
  [`timestamp: ${TIME}`, 'timestamp: 2020-01-01', 'malformed-header', 'timestamp'],
  [`timestamp: ${TIME}`, 'timestamp: 2020-02-30T00:00:00Z', 'malformed-header', 'timestamp'],
])

const SINCE = `since: ${TIME}\n`
const constrained = (text: string) => `${SINCE}constraints:\n${text}\n`
testMutations('account-key', vectorText('valid/account-key-acme-brand'), [
  without('since', TIME),
  without('account-id', 'acme-brand'),
  [
    `public-key-sha3-384: ${KEY_ID}`,
    `public-key-sha3-384: ${'A'.repeat(64)}`,
    'header-mismatch',
    'public-key-sha3-384',
  ],
  [`public-key-sha3-384: ${KEY_ID}`, 'public-key-sha3-384: AA', 'malformed-header', 'public-key-sha3-384'],
  [SINCE, `${SINCE}until: 2019-12-31T23:59:59Z\n`, 'header-mismatch', 'until'],
  [SINCE, `${SINCE}until: never\n`, 'malformed-header', 'until'],
  ['name: serial', 'name: Serial', 'malformed-header', 'name'],
  ['name: serial', 'name: 1-2', 'malformed-header', 'name'],
  ['name: serial', 'name: a--b', 'malformed-header', 'name'],
  ['name: serial', 'name: ', 'empty-header', 'name'],
  ['\n\nAcbBTQRWhcGA', '\n\n!cbBTQRWhcGA', 'malformed-key'],
  ['\n\nAcbBTQRWhcGA', '\n\nAsbBTQRWhcGA', 'unsupported-key'],
  [SINCE, `${SINCE}constraints: all\n`, 'malformed-header', 'constraints'],
  [SINCE, constrained('  - all'), 'malformed-header', 'constraints'],
  [SINCE, constrained('  -\n    x: y'), 'malformed-header', 'constraints'],
  [SINCE, constrained('  -\n    headers:\n      model: x'), 'malformed-header', 'constraints'],
  [SINCE, constrained('  -\n    headers:\n      type: serial|model'), 'malformed-header', 'constraints'],
  ...[
    '$X',
    '$OP()',
    '$SLOT(a)',
    '$PLUG_PUBLISHER_ID',
    '$',
    '\n        - a\n        - $X',
    '\n        a: $X',
  ].map(
    (value): Mutation => [
      SINCE,
      constrained(
        `  -\n    headers:\n      type: model\n      model:${value.startsWith('\n') ? value : ` ${value}`}`,
      ),
      'malformed-header',
      'constraints',
    ],
  ),
  [
    SINCE,
    constrained('  -\n    headers:\n      type: model\n      model:\n        -\n          - a'),
    'malformed-header',
    'constraints',
  ],
  [
    SINCE,
    constrained('  -\n    headers:\n      type: serial\n      model: (a'),
    'malformed-header',
    'constraints',
  ],
])

testMutations('account-key-request', vectorText('valid/account-key-request'), [
  without('name', 'serial'),
  without('since', TIME),
])

// model-rules.test.ts tests the other rules of models.
testMutations('model', vectorText('valid/model-acme-core-24'), [
  without('timestamp', LATER),
  without('architecture', 'amd64'),
  without('series', '16'),
  ['model: acme-core-24', 'model: acme--core', 'malformed-header', 'model'],
  ['  - generic\n', '  -\n    - generic\n', 'malformed-header', 'serial-authority'],
  ['base: core24', 'base: core24\nclassic: true', 'missing-header', 'distribution'],
  ['grade: signed', 'kernel: k', 'unexpected-header', 'kernel'],
  ['authority-id: acme-brand', 'authority-id: generic', 'header-mismatch', 'brand-id'],
])

const other = encodePublicKey(testKey('device2').publicKey).replaceAll('\n', '')
const DEVICE_KEY = /device-key:\n(?: {4}.*\n)+/.exec(vectorText('valid/serial'))?.[0] ?? ''
testMutations('serial', vectorText('valid/serial'), [
  without('brand-id', 'acme-brand'),
  without('timestamp', LATER),
  [DEVICE_KEY, '', 'missing-header', 'device-key'],
  [DEVICE_KEY, `device-key: ${other}\n`, 'header-mismatch', 'device-key'],
  [DEVICE_KEY, 'device-key: AcbB\n', 'malformed-key'],
  ['model: acme-classic', 'model: ', 'empty-header', 'model'],
])

testMutations('serial-request', vectorText('valid/serial-request'), [
  without('request-id', 'REQID-0001'),
  without('brand-id', 'acme-brand'),
  ['request-id: REQID-0001', 'request-id: ', 'empty-header', 'request-id'],
  ['request-id: REQID-0001', 'request-id: R\nserial:\n  - a', 'malformed-header', 'serial'],
  [DEVICE_KEY, `device-key: ${other}\n`, 'header-mismatch', 'device-key'],
])

testMutations('device-session-request', vectorText('valid/device-session-request'), [
  without('timestamp', LATER),
  without('serial', 'SN-0001'),
])

const URL_LINE = 'url: http://127.0.0.1:18080'
testMutations('store', vectorText('valid/store-acme-proxy'), [
  without('operator-id', 'acme-operator'),
  without('timestamp', TIME),
  [URL_LINE, 'url: //a', 'malformed-header', 'url'],
  [URL_LINE, 'url: http:///a', 'malformed-header', 'url'],
  [URL_LINE, 'url: http:a', 'malformed-header', 'url'],
  [URL_LINE, 'url: http://a/?', 'malformed-header', 'url'],
  [URL_LINE, 'url: http://a/#x', 'malformed-header', 'url'],
  [URL_LINE, 'url: http://a b/', 'malformed-header', 'url'],
  [URL_LINE, 'url: http://a:b/', 'malformed-header', 'url'],
  [URL_LINE, `${URL_LINE}\nfriendly-stores: a`, 'malformed-header', 'friendly-stores'],
])

testMutations('hardware-identity', vectorText('extra-head/hardware-identity'), [
  without('manufacturer', 'Acme'),
  without('hardware-id', 'HW-1'),
  ['hardware-name: acme-board', 'hardware-name: -', 'malformed-header', 'hardware-name'],
  ['issuer-id: acme-brand', 'issuer-id: generic', 'header-mismatch', 'issuer-id'],
  ['    MFkw', '    MFkx', 'header-mismatch', 'hardware-id-key'],
])
