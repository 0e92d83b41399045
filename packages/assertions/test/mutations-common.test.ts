// Guarantee: what every assertion has to have is checked, with exact messages.

import { testMutations } from './mutations.ts'
import { vectorText } from './vectors.ts'

const KEY_ID = 'Zb7cWdrYyp4seYx_Qku2PFgkPMLY5bU1EgakZjTxRsE0FP00VzlYW1XPqX-jgMFN'
const serial = vectorText('valid/serial')
const AUTHORITY = 'authority-id: acme-brand\n'
const SIGN_KEY = `sign-key-sha3-384: ${KEY_ID}`
const body = (text: string) => `${SIGN_KEY}\nbody-length: 4\n\n${text}`

testMutations('common headers', serial, [
  ['type: serial\n', '', 'assertion: "type" header is mandatory'],
  ['type: serial', 'type: ', 'assertion: "type" header should not be empty'],
  ['type: serial', 'type:\n  - serial', 'assertion: "type" header must be a string'],
  ['type: serial', 'type: cereal', 'unknown assertion type: "cereal"', 'unknown-type'],
  ['type: serial', 'type: constructor', 'unknown assertion type: "constructor"', 'unknown-type'],
  [AUTHORITY, '', 'assertion: "authority-id" header is mandatory'],
  [AUTHORITY, 'authority-id: \n', 'assertion: "authority-id" header should not be empty'],
  [AUTHORITY, `${AUTHORITY}format: -1\n`, 'assertion: format should be positive: -1'],
  [AUTHORITY, `${AUTHORITY}format: 1.0\n`, 'assertion: "format" header is not an integer: 1.0'],
  [AUTHORITY, `${AUTHORITY}format: \n`, 'assertion: "format" header is not an integer: '],
  [AUTHORITY, `${AUTHORITY}format:\n  - 1\n`, 'assertion: "format" header must be a string'],
  [AUTHORITY, `${AUTHORITY}revision: 00\n`, 'assertion: "revision" header has invalid prefix zeros: 00'],
  [AUTHORITY, `${AUTHORITY}revision: 1e3\n`, 'assertion: "revision" header is not an integer: 1e3'],
  [AUTHORITY, `${AUTHORITY}revision: ٣\n`, 'assertion: "revision" header is not an integer: ٣'],
  [
    AUTHORITY,
    `${AUTHORITY}revision: 9007199254740993\n`,
    'assertion: "revision" header is out of range: 9007199254740993',
  ],
  [`${SIGN_KEY}\n`, '', 'assertion: "sign-key-sha3-384" header is mandatory'],
  [SIGN_KEY, 'sign-key-sha3-384: ', 'assertion: "sign-key-sha3-384" header should not be empty'],
  [
    SIGN_KEY,
    'sign-key-sha3-384: abc=',
    'assertion: "sign-key-sha3-384" header is not a SHA3-384 digest in base64url: abc=',
  ],
  ['serial: SN-0001', 'serial: a/b', 'assertion serial: "serial" primary key header cannot contain \'/\''],
  ['serial: SN-0001', 'serial:\n  - a', 'assertion serial: "serial" header must be a string'],
  [
    SIGN_KEY,
    body('12345'),
    "assertion body length and declared body-length don't match: 5 != 4",
    'malformed',
  ],
  [SIGN_KEY, body('123'), "assertion body length and declared body-length don't match: 3 != 4", 'malformed'],
  [SIGN_KEY, `${SIGN_KEY}\nbody-length: x`, 'assertion: "body-length" header is not an integer: x'],
])

const REQUEST = 'type: device-session-request\n'
testMutations('types without authority', vectorText('valid/device-session-request'), [
  [
    REQUEST,
    `${REQUEST}authority-id: acme-brand\n`,
    '"device-session-request" assertion cannot have authority-id set',
  ],
])

const parsing = (fault: string) => `parsing assertion headers: ${fault}`
const MODEL = 'model: acme-classic\n'
testMutations('header lines', serial, [
  [MODEL, 'model\n', parsing('header entry missing \':\' separator: "model"'), 'malformed'],
  [MODEL, ': acme-classic\n', parsing('invalid header name: ""'), 'malformed'],
  [MODEL, '-model: acme-classic\n', parsing('invalid header name: "-model"'), 'malformed'],
  [MODEL, 'model-: acme-classic\n', parsing('invalid header name: "model-"'), 'malformed'],
  [MODEL, 'mo--del: acme-classic\n', parsing('invalid header name: "mo--del"'), 'malformed'],
  [MODEL, '0model: acme-classic\n', parsing('invalid header name: "0model"'), 'malformed'],
  [MODEL, ' model: acme-classic\n', parsing('invalid header name: " model"'), 'malformed'],
  [MODEL, 'modél: acme-classic\n', parsing('invalid header name: "modél"'), 'malformed'],
  [MODEL, 'mo\u0000"\\del: x\n', parsing('invalid header name: "mo\\x00\\"\\\\del"'), 'malformed'],
  [
    MODEL,
    `${'m'.repeat(300)}\n`,
    parsing(`header entry missing ':' separator: "${'m'.repeat(200)}…"`),
    'malformed',
  ],
  [
    MODEL,
    'model:\tacme\n',
    parsing('header entry should have a space or newline (for multiline) before value: "model:\\tacme"'),
    'malformed',
  ],
  [
    MODEL,
    'model:\n',
    parsing('expected 4 spaces before a line of the value introduced by "model:": "serial: SN-0001"'),
    'malformed',
  ],
  [
    MODEL,
    'model:\n   acme\n',
    parsing('expected 4 spaces before a line of the value introduced by "model:": "   acme"'),
    'malformed',
  ],
  [
    MODEL,
    `${MODEL}x:\n  -\n  - b\n`,
    parsing('expected 6 spaces before a line of the value introduced by "-": "  - b"'),
    'malformed',
  ],
  [
    MODEL,
    `${MODEL}x:\n  -b\n`,
    parsing('header entry should have a space or newline (for multiline) before value: "-b"'),
    'malformed',
  ],
  [MODEL, `${MODEL}x:\n  a: 1\n  a: 2\n`, parsing('repeated header: "a"'), 'malformed'],
  [MODEL, `${MODEL}x:\n  a: 1\n  b\n`, parsing('header entry missing \':\' separator: "b"'), 'malformed'],
  [MODEL, `${MODEL}x:\n  - a\n  b: 1\n`, parsing('invalid header name: "  b"'), 'malformed'],
  [MODEL, `${MODEL}x:\n    a\n  b\n`, parsing('header entry missing \':\' separator: "  b"'), 'malformed'],
  ['type: serial', '\u{feff}type: serial', parsing('invalid header name: "\\ufefftype"'), 'malformed'],
])
