// Guarantee: what each type has to have is checked, with exact messages.

import { encodePublicKey } from '../src/index.ts'
import { type Mutation, testMutations, without } from './mutations.ts'
import { testKey, vectorText } from './vectors.ts'

const inType =
  (type: string) =>
  (from: string, to: string, fault: string, code?: 'malformed-key'): Mutation =>
    code === undefined
      ? [from, to, `assertion ${type}: ${fault}`]
      : [from, to, `assertion ${type}: ${fault}`, code]
const TIME = '2020-01-01T00:00:00Z'
const LATER = '2020-06-01T12:00:00Z'
const KEY_ID = 'Zb7cWdrYyp4seYx_Qku2PFgkPMLY5bU1EgakZjTxRsE0FP00VzlYW1XPqX-jgMFN'
const parsing = (text: string, rest: string, part: string) =>
  `parsing time "${text}" as "2006-01-02T15:04:05Z07:00": cannot parse "${rest}" as "${part}"`

const account = inType('account')
testMutations('account', vectorText('valid/account-acme-brand'), [
  without('display-name', 'Acme-brand', 'assertion account: "display-name" header is mandatory'),
  without('validation', 'unproven', 'assertion account: "validation" header is mandatory'),
  without('timestamp', TIME, 'assertion account: "timestamp" header is mandatory'),
  account('display-name: Acme-brand', 'display-name: ', '"display-name" header should not be empty'),
  account(
    'account-id: acme-brand',
    'account-id: acme_brand',
    '"account-id" header contains invalid characters: "acme_brand"',
  ),
  account('account-id: acme-brand', 'account-id: a', '"account-id" header contains invalid characters: "a"'),
  account('username: acme-brand', 'username:\n  - a', '"username" header must be a string'),
  account(
    `timestamp: ${TIME}`,
    'timestamp: 2020-01-01',
    `"timestamp" header is not a RFC3339 date: ${parsing('2020-01-01', '', 'T')}`,
  ),
  account(
    `timestamp: ${TIME}`,
    'timestamp: 2020-02-30T00:00:00Z',
    '"timestamp" header is not a RFC3339 date: parsing time "2020-02-30T00:00:00Z": value out of range',
  ),
])

const accountKey = inType('account-key')
const SINCE = `since: ${TIME}\n`
const constrained = (text: string) => `${SINCE}constraints:\n${text}\n`
testMutations('account-key', vectorText('valid/account-key-acme-brand'), [
  without('since', TIME, 'assertion account-key: "since" header is mandatory'),
  without('account-id', 'acme-brand', 'assertion account-key: "account-id" header is mandatory'),
  accountKey(
    `public-key-sha3-384: ${KEY_ID}`,
    `public-key-sha3-384: ${'A'.repeat(64)}`,
    'public key does not match provided key id',
  ),
  accountKey(
    `public-key-sha3-384: ${KEY_ID}`,
    'public-key-sha3-384: AA',
    '"public-key-sha3-384" header is not a SHA3-384 digest in base64url: AA',
  ),
  accountKey(SINCE, `${SINCE}until: 2019-12-31T23:59:59Z\n`, '"until" header is before "since"'),
  accountKey(
    SINCE,
    `${SINCE}until: never\n`,
    `"until" header is not a RFC3339 date: ${parsing('never', 'never', '2006')}`,
  ),
  accountKey('name: serial', 'name: Serial', '"name" header contains invalid characters: "Serial"'),
  accountKey('name: serial', 'name: 1-2', '"name" header contains invalid characters: "1-2"'),
  accountKey('name: serial', 'name: a--b', '"name" header contains invalid characters: "a--b"'),
  accountKey('name: serial', 'name: ', '"name" header should not be empty'),
  accountKey(
    '\n\nAcbBTQRWhcGA',
    '\n\n!cbBTQRWhcGA',
    'cannot decode public key: illegal base64 data at input byte 0',
    'malformed-key',
  ),
  accountKey(
    '\n\nAcbBTQRWhcGA',
    '\n\nAsbBTQRWhcGA',
    'unsupported public key format version: 2',
    'malformed-key',
  ),
  accountKey(SINCE, `${SINCE}constraints: all\n`, '"constraints" header must be a list of maps'),
  accountKey(SINCE, constrained('  - all'), '"constraints" header must be a list of maps'),
  accountKey(
    SINCE,
    constrained('  -\n    x: y'),
    '"constraints" header must have a map "headers" in each entry',
  ),
  accountKey(
    SINCE,
    constrained('  -\n    headers:\n      model: x'),
    '"constraints" header must name one exact "type" in the "headers" of each entry',
  ),
  accountKey(
    SINCE,
    constrained('  -\n    headers:\n      type: serial|model'),
    '"constraints" header must name one exact "type" in the "headers" of each entry',
  ),
  accountKey(
    SINCE,
    constrained('  -\n    headers:\n      type: serial\n      model: (a'),
    '"constraints" header has a bad pattern: missing )',
  ),
])

testMutations('account-key-request', vectorText('valid/account-key-request'), [
  without('name', 'serial', 'assertion account-key-request: "name" header is mandatory'),
  without('since', TIME, 'assertion account-key-request: "since" header is mandatory'),
])

const model = inType('model')
const core = vectorText('valid/model-acme-core-24')
testMutations('model', core, [
  without('timestamp', LATER, 'assertion model: "timestamp" header is mandatory'),
  without('architecture', 'amd64', 'assertion model: "architecture" header is mandatory'),
  without('base', 'core24', 'assertion model: "base" header is mandatory'),
  without('series', '16', 'assertion model: "series" header is mandatory'),
  model('base: core24', 'base: core24\nclassic: true', '"distribution" header is mandatory'),
  model('base: core24', 'base: core24\nclassic: yes', `"classic" header must be 'true' or 'false'`),
  model('model: acme-core-24', 'model: Acme', '"model" header cannot contain uppercase letters'),
  model(
    'model: acme-core-24',
    'model: acme--core',
    '"model" header contains invalid characters: "acme--core"',
  ),
  model('  - generic\n', '  - generic_\n', '"serial-authority" header must be a list of account ids'),
  model('  - generic\n', '  -\n    - generic\n', '"serial-authority" header must be a list of account ids'),
  model(
    'system-user-authority: *',
    'system-user-authority: acme',
    '"system-user-authority" header must be a list of account ids',
  ),
  model('store: acme-store', 'store:\n  - a', '"store" header must be a string'),
  model('store: acme-store', 'required-snaps: x', '"required-snaps" header must be a list of strings'),
  model(
    'authority-id: acme-brand',
    'authority-id: generic',
    'authority-id and brand-id must match, model assertions are expected to be signed by the brand: "generic" != "acme-brand"',
  ),
])
testMutations(
  'model of a core device without snaps',
  core.replace(/snaps:\n(?: {2}.*\n)+/, 'gadget: pc\nkernel: k\n'),
  [
    without('gadget', 'pc', 'assertion model: "gadget" header is mandatory'),
    without('kernel', 'k', 'assertion model: "kernel" header is mandatory'),
    model('gadget: pc', 'snaps: pc', '"snaps" header must be a list of maps'),
  ],
)

const serial = inType('serial')
const other = encodePublicKey(testKey('device2').publicKey).replaceAll('\n', '')
const DEVICE_KEY = /device-key:\n(?: {4}.*\n)+/.exec(vectorText('valid/serial'))?.[0] ?? ''
testMutations('serial', vectorText('valid/serial'), [
  without('brand-id', 'acme-brand', 'assertion serial: "brand-id" header is mandatory'),
  without('timestamp', LATER, 'assertion serial: "timestamp" header is mandatory'),
  serial(DEVICE_KEY, '', '"device-key" header is mandatory'),
  serial(DEVICE_KEY, `device-key: ${other}\n`, 'device key does not match provided key id'),
  serial(DEVICE_KEY, 'device-key: AcbB\n', 'cannot decode public key: unexpected EOF', 'malformed-key'),
  serial('model: acme-classic', 'model: ', '"model" header should not be empty'),
])

const request = inType('serial-request')
testMutations('serial-request', vectorText('valid/serial-request'), [
  without('request-id', 'REQID-0001', 'assertion serial-request: "request-id" header is mandatory'),
  without('brand-id', 'acme-brand', 'assertion serial-request: "brand-id" header is mandatory'),
  request('request-id: REQID-0001', 'request-id: ', '"request-id" header should not be empty'),
  request('request-id: REQID-0001', 'request-id: R\nserial:\n  - a', '"serial" header must be a string'),
  request(DEVICE_KEY, `device-key: ${other}\n`, 'device key does not match included signing key id'),
])

testMutations('device-session-request', vectorText('valid/device-session-request'), [
  without('timestamp', LATER, 'assertion device-session-request: "timestamp" header is mandatory'),
  without('serial', 'SN-0001', 'assertion device-session-request: "serial" header is mandatory'),
])

const store = inType('store')
const URL_LINE = 'url: http://127.0.0.1:18080'
testMutations('store', vectorText('valid/store-acme-proxy'), [
  without('operator-id', 'acme-operator', 'assertion store: "operator-id" header is mandatory'),
  without('timestamp', TIME, 'assertion store: "timestamp" header is mandatory'),
  store(URL_LINE, 'url: //a', '"url" header scheme must be "https" or "http": //a'),
  store(URL_LINE, 'url: http:///a', '"url" header must have a host: http:///a'),
  store(URL_LINE, 'url: http:a', '"url" header must have a host: http:a'),
  store(URL_LINE, 'url: http://a/?', '"url" header must not have a query: http://a/?'),
  store(URL_LINE, 'url: http://a/#x', '"url" header must not have a fragment: http://a/#x'),
  store(URL_LINE, 'url: http://a b/', '"url" header is not a URL: http://a b/'),
  store(URL_LINE, 'url: http://a:b/', '"url" header is not a URL: http://a:b/'),
  store(URL_LINE, `${URL_LINE}\nfriendly-stores: a`, '"friendly-stores" header must be a list of strings'),
])

const identity = inType('hardware-identity')
testMutations('hardware-identity', vectorText('extra-head/hardware-identity'), [
  without('manufacturer', 'Acme', 'assertion hardware-identity: "manufacturer" header is mandatory'),
  without('hardware-id', 'HW-1', 'assertion hardware-identity: "hardware-id" header is mandatory'),
  identity(
    'hardware-name: acme-board',
    'hardware-name: -',
    '"hardware-name" header contains invalid characters: "-"',
  ),
  identity(
    'issuer-id: acme-brand',
    'issuer-id: generic',
    'authority-id and issuer-id must match: "acme-brand" != "generic"',
  ),
  identity('    MFkw', '    MFkx', '"hardware-id-key" header does not match "hardware-id-key-sha3-384"'),
])
