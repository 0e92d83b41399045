/** The rules about the audit log on handmade tables. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Row } from '../world/tables.ts'
import { REVOKED_BY_FAULTS, unaudited } from './audited.ts'

const entry = (action: string, subject: string, details: object = {}): Row => ({
  ...{ action, subject },
  details: JSON.stringify(details),
})
const session = (more: Row = {}): Row => ({
  ...{ session_id: 'S', revoked_at: null, revoked_by: null, rule_id: null },
  ...more,
})
const revoked = session({ revoked_at: '7', revoked_by: 'ada' })
const ofRule = session({ revoked_at: '7', revoked_by: 'ada', rule_id: 'R' })
const opened = entry('token.open', 'S')

interface Case {
  readonly says: string
  readonly tables: Readonly<Record<string, readonly Row[]>>
  readonly found: readonly string[]
}

const CASES: readonly Case[] = [
  {
    says: 'a session and its entry',
    tables: { token_session: [session()], audit_entry: [opened] },
    found: [],
  },
  {
    says: 'a revocation without an entry',
    tables: { token_session: [revoked], audit_entry: [opened] },
    found: ['the audit log lacks the revocation of session S'],
  },
  {
    says: 'a revocation by the suite itself',
    tables: { token_session: [{ ...revoked, revoked_by: REVOKED_BY_FAULTS }], audit_entry: [opened] },
    found: [],
  },
  {
    says: 'an entry of a revocation that is not there',
    tables: { token_session: [session()], audit_entry: [opened, entry('token.revoke', 'S')] },
    found: ['the audit log has token.revoke of S, and it is not so'],
  },
  {
    says: 'two entries of one revocation',
    tables: {
      token_session: [revoked],
      audit_entry: [opened, entry('token.revoke', 'S'), entry('token.revoke', 'S')],
    },
    found: ['the audit log has token.revoke of S twice'],
  },
  {
    says: 'a removed rule that revoked one session',
    tables: {
      token_session: [ofRule],
      audit_entry: [opened, entry('publisher.remove', 'R', { sessions: 1 })],
    },
    found: [],
  },
  {
    says: 'a removed rule that says it revoked none',
    tables: {
      token_session: [ofRule],
      audit_entry: [opened, entry('publisher.remove', 'R', { sessions: 0 })],
    },
    found: ['rules that ended revoked 1 sessions, and the audit log says 0'],
  },
  {
    says: 'a device that became active without an approval',
    tables: { device: [{ id: 'D', status: 'active' }], audit_entry: [entry('device.wait', 'D')] },
    found: ['the audit log lacks that device D became active'],
  },
  {
    says: 'an approval of a device that waits',
    tables: {
      device: [{ id: 'D', status: 'pending' }],
      audit_entry: [entry('device.wait', 'D'), entry('device.approve', 'D')],
    },
    found: ['the audit log has device.approve of D, and it is not so'],
  },
  {
    says: 'a role that was given, taken and given again',
    tables: {
      account: [{ id: 'A', username: 'ada', disabled_at: null, logins_since: null }],
      role_grant: [{ subject: 'A', role: 'viewer' }],
      audit_entry: [
        entry('account.add', 'ada'),
        ...['grant.add', 'grant.remove', 'grant.add'].map((action) =>
          entry(action, 'ada', { grant: 'viewer' }),
        ),
      ],
    },
    found: [],
  },
  {
    says: 'an action that the checker does not know',
    tables: { audit_entry: [entry('world.end', 'W')] },
    found: ['the checker does not know what world.end changes'],
  },
]

for (const { says, tables, found } of CASES) {
  test(says, () => assert.deepEqual([...unaudited(new Map(Object.entries(tables)))], found))
}
