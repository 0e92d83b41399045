/** Tests the checker on handmade histories: for each invariant, one that violates it and one that only seems to. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Seen, Truth } from '../history.ts'
import { check, INVARIANTS, type InvariantName } from './invariants.ts'

const nothing: Truth = {
  ...{ sessions: new Map(), accounts: new Map(), devices: [], requests: new Map(), ended: new Set() },
  ...{ faults: [], lost: [], jobs: [], decisions: [], jobStates: new Map(), tables: new Map() },
  ...{ rules: new Set(), grants: new Set(), operators: undefined, packages: new Set() },
  ...{ imported: [], sealed: [], restored: [], logs: [], resources: [] },
}
const device = { model: 'unit-1', key: 'key-1', serial: 'SN-1' }
const holder = { ...device, revoked: false }

const seen = (more: Partial<Seen>): Seen => ({
  ...{ kind: 'whoami', where: 'node 1', sent: 0, answered: 5, status: 200 },
  ...more,
})

const ended = (more: Partial<Seen> = {}): Seen =>
  seen({ kind: 'revoke', sent: 100, answered: 110, ends: 'session S', ...more })
const revoked: Truth = { ...nothing, sessions: new Map([['S', true]]) }
const shown = (more: Partial<Seen>): Seen =>
  seen({ uses: ['session S', 'account A'], mustHold: true, ...more })
const registered = (more: Partial<Seen> = {}): Seen => seen({ kind: 'register', device, ...more })
const once = (kind: Seen['kind'], request: string, result: string): Seen =>
  seen({ kind, once: { text: 'T', request, result } })
const removed = (more: Partial<Seen> = {}): Seen => ended({ kind: 'remove-rule', ends: 'rule R', ...more })
const minted = (more: Partial<Seen> = {}): Seen =>
  seen({ kind: 'exchange-id-token', uses: ['account A', 'rule R'], session: 'S', ...more })

const openedSession = { session_id: 'S', revoked_at: null, revoked_by: null, rule_id: null }

interface Case {
  readonly says: string
  /** Default: empty. */
  readonly history?: readonly Seen[]
  readonly truth?: Partial<Truth>
  /** The violated invariant; undefined if there is none. */
  readonly violates?: InvariantName
  readonly what?: string
}

const CASES: readonly Case[] = [
  {
    says: 'a job reports a device as done and has its entry; another job is still running',
    truth: {
      jobs: [
        { id: 'J', over: true, done: ['D'] },
        { id: 'K', over: false, done: [] },
      ],
      decisions: [
        { job: 'J', device: 'D' },
        { job: 'K', device: 'E' },
      ],
    },
  },
  {
    says: 'a job changed a device twice',
    truth: {
      jobs: [{ id: 'J', over: false, done: ['D'] }],
      decisions: [
        { job: 'J', device: 'D' },
        { job: 'J', device: 'D' },
      ],
    },
    violates: 'job-item-once',
    what: 'the job J reports D as done, but has 2 audit log entries for it',
  },
  {
    says: 'a job reports a device as done that it did not change',
    truth: { jobs: [{ id: 'J', over: true, done: ['D'] }] },
    violates: 'job-item-once',
  },
  {
    says: 'a job changed a device without reporting it as done',
    truth: { jobs: [{ id: 'J', over: true, done: [] }], decisions: [{ job: 'J', device: 'D' }] },
    violates: 'job-item-once',
    what: 'the job J has 1 audit log entries for D, but does not report it as done',
  },
  { says: 'nothing happened' },
  {
    says: 'a revocation was acknowledged, but the session is still in force',
    history: [ended()],
    truth: { sessions: new Map([['S', false]]) },
    violates: 'revocation-kept',
    what: 'session S: its revocation was acknowledged at 110 ms, but it is still in force',
  },
  {
    says: 'a revocation was acknowledged, but the session is missing',
    history: [ended()],
    violates: 'revocation-kept',
  },
  {
    says: 'disabling an account was acknowledged, but it is not disabled',
    history: [ended({ ends: 'account A' })],
    truth: { accounts: new Map([['A', false]]) },
    violates: 'revocation-kept',
  },
  {
    says: 'revoking the logins of an account was acknowledged, but they are not revoked',
    history: [ended({ ends: 'logins A/0' })],
    violates: 'revocation-kept',
  },
  {
    says: 'the logins of an account are revoked as acknowledged',
    history: [ended({ ends: 'logins A/0' })],
    truth: { ended: new Set(['A']) },
  },
  {
    says: 'a login from before the revocation of all logins opened a session; a later login may',
    history: [
      ended({ ends: 'logins A/0' }),
      seen({ kind: 'exchange', sent: 1_111, answered: 1_120, uses: ['logins A/0'] }),
      seen({ kind: 'exchange', sent: 1_111, answered: 1_120, uses: ['logins A/2'] }),
    ],
    truth: { ended: new Set(['A']) },
    violates: 'revoked-refused',
  },
  {
    says: 'revoking a device was acknowledged, but it is not revoked',
    history: [ended({ ends: 'device unit-1/SN-1' })],
    truth: { devices: [holder] },
    violates: 'revocation-kept',
  },
  {
    says: 'account and device are revoked as acknowledged',
    history: [ended({ ends: 'account A' }), ended({ ends: 'device unit-1/SN-1' })],
    truth: { accounts: new Map([['A', true]]), devices: [{ ...device, revoked: true }] },
  },
  {
    says: 'rejecting a pending device was acknowledged, but it is not rejected',
    history: [ended({ kind: 'reject', ends: 'request asked/key-1' })],
    truth: { requests: new Map([['asked/key-1', 'pending']]) },
    violates: 'revocation-kept',
  },
  {
    says: 'a pending device is rejected as acknowledged',
    history: [ended({ kind: 'reject', ends: 'request asked/key-1' })],
    truth: { requests: new Map([['asked/key-1', 'rejected']]) },
  },
  { says: 'a revocation without an answer did not take effect', history: [ended({ status: 0 })] },
  { says: 'a revocation that got a 503 did not take effect', history: [ended({ status: 503 })] },

  {
    says: 'a token sent more than a second after its revocation was accepted',
    history: [ended(), shown({ sent: 1_111, answered: 1_115 })],
    truth: revoked,
    violates: 'revoked-refused',
    what: 'session S: revoked at 110 ms, and whoami (session S, account A) sent to node 1 at 1111 ms was accepted',
  },
  {
    says: 'the second counts from the first acknowledgement',
    history: [ended({ answered: 2_000 }), ended(), shown({ sent: 1_200 })],
    truth: revoked,
    violates: 'revoked-refused',
  },
  {
    says: 'a token sent within the second was accepted, however late the answer came',
    history: [ended(), shown({ sent: 1_110, answered: 9_000 })],
    truth: revoked,
  },
  {
    says: 'a token was accepted after a revocation that was not acknowledged',
    history: [ended({ status: 503 }), shown({ sent: 5_000 })],
  },
  {
    says: 'a session of a revoked device was opened',
    history: [
      ended({ ends: 'device unit-1/SN-1' }),
      seen({ kind: 'open', uses: ['device unit-1/SN-1'], sent: 2_000 }),
    ],
    truth: { devices: [{ ...device, revoked: true }] },
    violates: 'revoked-refused',
  },

  {
    says: "a rule's token sent more than a second after the rule's removal was accepted",
    history: [removed(), shown({ sent: 1_111, answered: 1_115, uses: ['session S', 'rule R'] })],
    truth: revoked,
    violates: 'rule-removed-refused',
    what: 'rule R: revoked at 110 ms, and whoami (session S, rule R) sent to node 1 at 1111 ms was accepted',
  },
  {
    says: "a rule's token sent within the second was accepted",
    history: [removed({ kind: 'disable-rule' }), shown({ sent: 1_110, uses: ['session S', 'rule R'] })],
    truth: revoked,
  },
  {
    says: 'a disabled rule opened a session for a request sent just after the acknowledgement',
    history: [removed({ kind: 'disable-rule' }), minted({ sent: 111, answered: 115 })],
    truth: revoked,
    violates: 'rule-removed-refused',
  },
  {
    says: 'a session opened while its rule was being removed is still in force',
    history: [removed(), minted({ sent: 105, answered: 115 })],
    truth: { sessions: new Map([['S', false]]) },
    violates: 'rule-removed-refused',
    what: 'rule R: removed at 110 ms, but its session S is still in force',
  },
  {
    says: 'a session opened while its rule was being removed was revoked with the others',
    history: [removed(), minted({ sent: 105, answered: 115 })],
    truth: revoked,
  },
  {
    says: "a session is in force, but its rule's removal was not acknowledged",
    history: [removed({ status: 503 }), minted({ sent: 200, answered: 210 })],
    truth: { sessions: new Map([['S', false]]) },
  },
  {
    says: 'another rule opened a session',
    history: [removed(), minted({ sent: 2_000, answered: 2_010, uses: ['account A', 'rule Q'] })],
    truth: { sessions: new Map([['S', false]]) },
  },
  {
    says: 'an ID token was accepted although its issuer had withdrawn the key',
    history: [
      ended({ kind: 'refresh-issuer', where: 'command', ends: 'issuer-key K' }),
      minted({ sent: 1_111, answered: 1_120, uses: ['issuer-key K'] }),
    ],
    truth: revoked,
    violates: 'revoked-refused',
  },

  {
    says: 'two keys got the same serial',
    history: [registered(), registered({ device: { ...device, key: 'key-2' } })],
    truth: { devices: [holder, { ...holder, key: 'key-2' }] },
    violates: 'serial-one-key',
    what: 'unit-1/SN-1 has 2 device keys: key-1, key-2',
  },
  {
    says: 'the acknowledged key differs from a stored one',
    history: [registered()],
    truth: { devices: [holder, { ...holder, key: 'key-2' }] },
    violates: 'serial-one-key',
  },
  {
    says: 'the same serial of two models counts as two serials',
    history: [registered(), registered({ device: { ...device, model: 'unit-2' } })],
    truth: { devices: [holder, { ...holder, model: 'unit-2' }] },
  },

  {
    says: 'a key got two serials of one model',
    history: [registered(), registered({ device: { ...device, serial: 'SN-2' } })],
    truth: { devices: [holder, { ...holder, serial: 'SN-2' }] },
    violates: 'key-one-serial',
    what: 'key-1 of unit-1 has 2 serials: SN-1, SN-2',
  },
  {
    says: 'a device got the same answer twice',
    history: [registered(), registered()],
    truth: { devices: [holder] },
  },

  {
    says: 'a nonce opened two sessions',
    history: [once('open', 'R', 'S1'), once('refresh', 'R', 'S2')],
    violates: 'nonce-once',
    what: 'T has 2 results: S1, S2',
  },
  {
    says: 'a nonce was accepted in two requests',
    history: [once('open', 'R1', 'S'), once('open', 'R2', 'S')],
    violates: 'nonce-once',
  },
  { says: 'the same request got the same answer', history: [once('open', 'R', 'S'), once('open', 'R', 'S')] },
  {
    says: 'the second use of a nonce was refused',
    history: [once('open', 'R1', 'S'), { ...once('open', 'R2', 'S2'), status: 400 }],
  },

  {
    says: 'a request-id registered two devices',
    history: [once('register', 'R', 'D1'), once('register', 'R', 'D2')],
    violates: 'request-id-once',
  },

  {
    says: 'an ID token opened two sessions',
    history: [once('exchange-id-token', 'R', 'S1'), once('exchange-id-token', 'R', 'S2')],
    violates: 'id-token-once',
    what: 'T has 2 results: S1, S2',
  },
  {
    says: 'an ID token was accepted in two requests without a common Idempotency-Key',
    history: [once('exchange-id-token', 'R1', 'S'), once('exchange-id-token', 'R2', 'S')],
    violates: 'id-token-once',
  },
  {
    says: 'repeating an ID token with its Idempotency-Key gave further tokens of its session',
    history: [once('exchange-id-token', 'R', 'S'), once('exchange-id-token', 'R', 'S')],
  },
  {
    says: 'the second use of an ID token was refused, or got no answer',
    history: [
      once('exchange-id-token', 'R1', 'S'),
      { ...once('exchange-id-token', 'R2', 'S2'), status: 400 },
      { ...once('exchange-id-token', 'R3', 'S3'), status: 0 },
    ],
  },

  {
    says: 'a session was opened but is missing',
    history: [seen({ kind: 'exchange', session: 'S' })],
    violates: 'nothing-missing',
    what: 'session S was opened but is missing',
  },
  {
    says: 'a device was registered but is missing',
    history: [registered()],
    violates: 'nothing-missing',
  },
  {
    says: 'a device was approved but has no serial',
    history: [seen({ kind: 'approve', where: 'command', device })],
    truth: { requests: new Map([['unit-1/key-1', 'pending']]) },
    violates: 'nothing-missing',
  },
  {
    says: 'a device was told to wait but is missing',
    history: [seen({ kind: 'register', status: 202, waits: 'asked/key-1' })],
    violates: 'nothing-missing',
    what: 'asked/key-1 was told to wait but is missing',
  },
  {
    says: 'a device is pending; another got no such answer',
    history: [
      seen({ kind: 'register', status: 202, waits: 'asked/key-1' }),
      seen({ kind: 'register', status: 503, waits: 'asked/key-2' }),
    ],
    truth: { requests: new Map([['asked/key-1', 'pending']]) },
  },

  {
    says: '`ratafia verify` reported a fault',
    truth: { faults: ['audit: entry 7 is missing'] },
    violates: 'verify-agrees',
    what: 'audit: entry 7 is missing',
  },

  {
    says: 'an exchange without an answer left no session',
    history: [seen({ kind: 'exchange', session: 'S', status: 0 })],
  },

  {
    says: 'a good token was refused',
    history: [shown({ status: 401, detail: 'no' })],
    violates: 'stays-good',
    what: 'whoami (session S, account A) sent to node 1 at 0 ms was refused with 401: no',
  },
  {
    says: 'a token was refused before its revocation was sent',
    history: [shown({ status: 401, sent: 10, answered: 20 }), ended()],
    truth: revoked,
    violates: 'stays-good',
  },
  {
    says: 'a token was refused after a revocation that was refused',
    history: [ended({ status: 401 }), shown({ status: 401, sent: 300, answered: 310 })],
    violates: 'stays-good',
  },
  {
    says: 'a token was refused while its revocation was under way',
    history: [shown({ status: 401, sent: 90, answered: 105 }), ended()],
    truth: revoked,
  },
  {
    says: 'a token was refused after an unanswered revocation, and is finally revoked',
    history: [ended({ status: 0 }), shown({ status: 401, sent: 300, answered: 310 })],
    truth: revoked,
  },
  {
    says: 'a token was refused after an unanswered revocation, but is never revoked',
    history: [ended({ status: 0 }), shown({ status: 401, sent: 300, answered: 310 })],
    truth: { sessions: new Map([['S', false]]) },
    violates: 'stays-good',
  },
  {
    says: "a rule's token was refused after an unanswered removal, but the rule still exists",
    history: [removed({ status: 503 }), shown({ uses: ['rule R'], status: 401, sent: 300, answered: 310 })],
    truth: { rules: new Set(['R']) },
    violates: 'stays-good',
  },

  {
    says: 'a job was acknowledged but is missing',
    history: [seen({ kind: 'make-job', status: 202, job: 'J' })],
    violates: 'job-kept',
    what: 'the job J was acknowledged but is missing',
  },
  {
    says: 'an acknowledged job does not finish',
    history: [seen({ kind: 'make-job', status: 202, job: 'J' })],
    truth: { jobStates: new Map([['J', 'running']]) },
    violates: 'job-kept',
  },
  {
    says: 'an acknowledged job has finished',
    history: [seen({ kind: 'make-job', status: 202, job: 'J' })],
    truth: { jobStates: new Map([['J', 'stopped']]) },
  },
  {
    says: 'one Idempotency-Key created two jobs',
    history: ['J', 'K'].map((job) => ({ ...once('make-job', 'a job', job), status: 202 })),
    violates: 'repeat-once',
    what: 'T has 2 results: J, K',
  },
  {
    says: 'a caller without permission granted a role',
    history: [seen({ kind: 'add-grant', status: 201, forbidden: true })],
    violates: 'no-more-rights',
  },
  {
    says: 'a caller without permission was refused, or got no answer',
    history: [403, 503, 0].map((status) => seen({ kind: 'add-grant', status, forbidden: true })),
  },
  {
    says: 'the last operator lost the role',
    truth: { operators: new Set() },
    violates: 'no-more-rights',
    what: 'no operator is left',
  },
  {
    says: 'half of an import took effect',
    history: [seen({ kind: 'import', status: 0, imports: ['P', 'Q'] })],
    truth: { packages: new Set(['P']) },
    violates: 'import-whole',
    what: 'an import of 2 packages had the status 0, and 1 of them are listed',
  },
  {
    says: 'an import wrote some packages too early',
    truth: { imported: ['a waiting import has written 500 packages'] },
    violates: 'import-whole',
  },
  {
    says: 'an acknowledged import took no effect',
    history: [seen({ kind: 'import', imports: ['P'] })],
    violates: 'import-whole',
  },
  {
    says: 'a refused import took effect',
    history: [seen({ kind: 'import', status: 400, imports: ['P'] })],
    truth: { packages: new Set(['P']) },
    violates: 'import-whole',
  },
  {
    says: 'imports without an answer took effect completely or not at all',
    history: [
      seen({ kind: 'import', status: 0, imports: ['P'] }),
      seen({ kind: 'import', status: 503, imports: ['Q'] }),
    ],
    truth: { packages: new Set(['P']) },
  },
  {
    says: 'a rotation took effect in part',
    truth: { sealed: ['a killed rotation has resealed 1 values'] },
    violates: 'secret-rotated',
  },
  {
    says: 'a backup lacks a row',
    truth: { restored: ['device lacks {"id":"D"}'] },
    violates: 'backup-whole',
  },
  {
    says: 'a node logged an error',
    truth: { logs: ['node 1 logged an error: fault'] },
    violates: 'logs-clean',
  },
  {
    says: 'a node keeps too much memory',
    truth: { resources: ['process 7 of node 1 keeps 900 MB of memory'] },
    violates: 'resources-bounded',
  },
  {
    says: 'a session has no entry in the audit log',
    truth: { tables: new Map([['token_session', [openedSession]]]) },
    violates: 'audited',
    what: 'the audit log lacks the opening of session S',
  },
  { says: 'a good token could not be checked', history: [shown({ status: 503 }), shown({ status: 0 })] },

  {
    says: 'a node answered 500',
    history: [seen({ status: 500, detail: 'oh' })],
    violates: 'only-503',
    what: 'whoami sent to node 1 at 0 ms got a 500: oh',
  },
  { says: 'a proxy answered 502', history: [seen({ status: 502 })], violates: 'only-503' },

  {
    says: 'a node stopped by itself',
    truth: { lost: ['node 1 stopped by itself with 5'] },
    violates: 'serves-again',
    what: 'node 1 stopped by itself with 5',
  },
  {
    says: 'a request got a 503 when all faults were over',
    history: [shown({ status: 503, final: true })],
    violates: 'serves-again',
  },
  {
    says: 'a request got no answer when all faults were over',
    history: [shown({ status: 0, final: true })],
    violates: 'serves-again',
  },
]

for (const { says, history = [], truth, violates, what } of CASES) {
  test(`${violates ?? 'no violation'}: ${says}`, () => {
    const violations = check(history, { ...nothing, ...truth })
    assert.deepEqual(
      violations.map(({ invariant }) => invariant),
      violates === undefined ? [] : [violates],
    )
    if (what !== undefined) assert.equal(violations[0]?.what, what)
  })
}

test('every invariant has a history that violates it', () => {
  const violated = new Set(CASES.flatMap(({ violates }) => violates ?? []))
  assert.deepEqual(
    INVARIANTS.map(({ name }) => name).filter((name) => !violated.has(name)),
    [],
  )
})
