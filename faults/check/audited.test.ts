/** Tests the checks of the audit log on handmade tables. */
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
    says: 'accepts a session and its entry',
    tables: { token_session: [session()], audit_entry: [opened] },
    found: [],
  },
  {
    says: 'reports a revocation without an entry',
    tables: { token_session: [revoked], audit_entry: [opened] },
    found: ['the audit log lacks the revocation of session S'],
  },
  {
    says: 'accepts a revocation by the suite itself, which has no entry',
    tables: { token_session: [{ ...revoked, revoked_by: REVOKED_BY_FAULTS }], audit_entry: [opened] },
    found: [],
  },
  {
    says: 'reports an entry for a revocation that did not happen',
    tables: { token_session: [session()], audit_entry: [opened, entry('token.revoke', 'S')] },
    found: ['the audit log has token.revoke of S, but the database disagrees'],
  },
  {
    says: 'reports two entries for one revocation',
    tables: {
      token_session: [revoked],
      audit_entry: [opened, entry('token.revoke', 'S'), entry('token.revoke', 'S')],
    },
    found: ['the audit log has token.revoke of S twice'],
  },
  {
    says: 'accepts a removed rule whose entry counts its one revoked session',
    tables: {
      token_session: [ofRule],
      audit_entry: [opened, entry('publisher.remove', 'R', { sessions: 1 })],
    },
    found: [],
  },
  {
    says: 'reports a removed rule whose entry does not count the session that was revoked',
    tables: {
      token_session: [ofRule],
      audit_entry: [opened, entry('publisher.remove', 'R', { sessions: 0 })],
    },
    found: ['removed and disabled rules revoked 1 sessions, but the audit log counts 0'],
  },
  {
    says: 'reports a device that became active without an approval',
    tables: { device: [{ id: 'D', status: 'active' }], audit_entry: [entry('device.wait', 'D')] },
    found: ['the audit log lacks the change of device D to active'],
  },
  {
    says: 'reports the approval of a device that is still pending',
    tables: {
      device: [{ id: 'D', status: 'pending' }],
      audit_entry: [entry('device.wait', 'D'), entry('device.approve', 'D')],
    },
    found: ['the audit log has device.approve of D, but the database disagrees'],
  },
  {
    says: 'accepts a role that was granted, removed and granted again',
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
    says: 'reports an action that the checker does not know',
    tables: { audit_entry: [entry('world.end', 'W')] },
    found: ['the checker does not know what world.end changes'],
  },
]

for (const { says, tables, found } of CASES) {
  test(says, () => assert.deepEqual([...unaudited(new Map(Object.entries(tables)))], found))
}
