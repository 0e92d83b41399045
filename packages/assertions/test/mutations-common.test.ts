// Guarantee: the headers that every assertion needs are checked, and each refusal has its code.

import { testMutations } from './mutations.ts'
import { vectorText } from './vectors.ts'

const KEY_ID = 'Zb7cWdrYyp4seYx_Qku2PFgkPMLY5bU1EgakZjTxRsE0FP00VzlYW1XPqX-jgMFN'
const serial = vectorText('valid/serial')
const AUTHORITY = 'authority-id: acme-brand\n'
const SIGN_KEY = `sign-key-sha3-384: ${KEY_ID}`
const body = (text: string) => `${SIGN_KEY}\nbody-length: 4\n\n${text}`

testMutations('common headers', serial, [
  ['type: serial\n', '', 'missing-header', 'type'],
  ['type: serial', 'type: ', 'empty-header', 'type'],
  ['type: serial', 'type:\n  - serial', 'malformed-header', 'type'],
  ['type: serial', 'type: cereal', 'unknown-type', 'cereal'],
  ['type: serial', 'type: constructor', 'unknown-type', 'constructor'],
  [AUTHORITY, '', 'missing-header', 'authority-id'],
  [AUTHORITY, 'authority-id: \n', 'empty-header', 'authority-id'],
  [AUTHORITY, `${AUTHORITY}format: -1\n`, 'malformed-header', 'format'],
  [AUTHORITY, `${AUTHORITY}format: 1.0\n`, 'malformed-header', 'format'],
  [AUTHORITY, `${AUTHORITY}format: \n`, 'malformed-header', 'format'],
  [AUTHORITY, `${AUTHORITY}format:\n  - 1\n`, 'malformed-header', 'format'],
  [AUTHORITY, `${AUTHORITY}revision: 00\n`, 'malformed-header', 'revision'],
  [AUTHORITY, `${AUTHORITY}revision: 1e3\n`, 'malformed-header', 'revision'],
  [AUTHORITY, `${AUTHORITY}revision: ٣\n`, 'malformed-header', 'revision'],
  [AUTHORITY, `${AUTHORITY}revision: 9007199254740993\n`, 'malformed-header', 'revision'],
  [`${SIGN_KEY}\n`, '', 'missing-header', 'sign-key-sha3-384'],
  [SIGN_KEY, 'sign-key-sha3-384: ', 'empty-header', 'sign-key-sha3-384'],
  [SIGN_KEY, 'sign-key-sha3-384: abc=', 'malformed-header', 'sign-key-sha3-384'],
  ['serial: SN-0001', 'serial: a/b', 'malformed-header', 'serial'],
  ['serial: SN-0001', 'serial:\n  - a', 'malformed-header', 'serial'],
  [SIGN_KEY, body('12345'), 'body-length-mismatch'],
  [SIGN_KEY, body('123'), 'body-length-mismatch'],
  [SIGN_KEY, `${SIGN_KEY}\nbody-length: x`, 'malformed-header', 'body-length'],
])

const REQUEST = 'type: device-session-request\n'
testMutations('types without authority', vectorText('valid/device-session-request'), [
  [REQUEST, `${REQUEST}authority-id: acme-brand\n`, 'unexpected-header', 'authority-id'],
])

const MODEL = 'model: acme-classic\n'
testMutations('header lines', serial, [
  [MODEL, 'model\n', 'malformed-line'],
  [MODEL, ': acme-classic\n', 'malformed-line'],
  [MODEL, '-model: acme-classic\n', 'malformed-line'],
  [MODEL, 'model-: acme-classic\n', 'malformed-line'],
  [MODEL, 'mo--del: acme-classic\n', 'malformed-line'],
  [MODEL, '0model: acme-classic\n', 'malformed-line'],
  [MODEL, ' model: acme-classic\n', 'malformed-line'],
  [MODEL, 'modél: acme-classic\n', 'malformed-line'],
  [MODEL, 'mo\u0000"\\del: x\n', 'malformed-line'],
  [MODEL, `${'m'.repeat(300)}\n`, 'malformed-line'],
  [MODEL, 'model:\tacme\n', 'malformed-line'],
  [MODEL, 'model:\n', 'malformed-line'],
  [MODEL, 'model:\n   acme\n', 'malformed-line'],
  [MODEL, `${MODEL}x:\n  -\n  - b\n`, 'malformed-line'],
  [MODEL, `${MODEL}x:\n  -b\n`, 'malformed-line'],
  [MODEL, `${MODEL}x:\n  a: 1\n  a: 2\n`, 'repeated-header', 'a'],
  [MODEL, `${MODEL}x:\n  a: 1\n  b\n`, 'malformed-line'],
  [MODEL, `${MODEL}x:\n  - a\n  b: 1\n`, 'malformed-line'],
  [MODEL, `${MODEL}x:\n    a\n  b\n`, 'malformed-line'],
  ['type: serial', '\u{feff}type: serial', 'malformed-line'],
])
