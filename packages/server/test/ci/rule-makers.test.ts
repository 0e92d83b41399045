/**
 * Tests that operators, and users who just signed in to the console, can create rules, but never a token
 * (contract/oidc.md, A12).
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { MANAGEMENT_OPERATIONS, type ManagementOperation } from '@ratafia/api/schemas'
import type { Account } from '../../src/accounts/account.ts'
import type { SignIn } from '../../src/authority.ts'
import { addRule } from '../../src/ci/rules/making/add-rule.ts'
import { JUST_SIGNED_IN_MS, type RuleMaker } from '../../src/ci/rules/making/rule-maker.ts'
import { authorityOf, type ManagerAuthority } from '../../src/management/tokens/manager.ts'
import { addAccount } from '../support/accounts.ts'
import { deciding } from '../support/authorities.ts'
import { eachDatabase } from '../support/databases.ts'
import { manage, managementToken } from '../support/managers.ts'
import { GITHUB, givenIssuer } from '../support/rules.ts'
import { testService } from '../support/service.ts'

eachDatabase((_kind, open, fresh) => {
  const service = testService(fresh)
  let [ann, bob]: Account[] = []
  let now = new Date()
  before(async () => {
    await givenIssuer(await open(), GITHUB, 'github')
    const add = (username: string) =>
      addAccount(
        { username, email: `${username}@example.org`, name: username, password: 'correct horse battery' },
        service.installation,
      )
    ann = await add('ann')
    bob = await add('bob')
  })
  const deps = () => ({ ...service.installation, clock: () => now })
  /** The session of a browser in the console. */
  const signIn = async (
    account: Account | undefined,
    how: SignIn = { kind: 'person', at: now },
  ): Promise<{ own: ManagerAuthority }> => {
    assert.ok(account)
    const token = await managementToken(service, account)
    const { body } = await manage(service, token, 'GET', '/me')
    const manager = {
      ...{ account, sessionId: body.session_id, until: now.getTime() + 3_600_000, signIn: how },
      ...{ minted: { grants: [], readOnly: false }, limits: [], grants: [] },
      ...{ since: now, agentSince: undefined, inConsole: true },
    }
    return { own: authorityOf(manager, { source: '192.0.2.1', via: 'console' }, now) }
  }
  const make = (name: string, account: string, maker: RuleMaker) =>
    addRule(
      {
        ...{ maker, name, issuer: GITHUB, account, packages: [{ name: 'hello' }] },
        grants: { permissions: ['package_upload'] },
        match: { repository_id: '74', repository_owner_id: '65', ref: 'refs/heads/main' },
      },
      { ...deps(), jobMaxLifetime: service.installation.config.jobMaxLifetime },
    )

  test('a user who just signed in can create a rule for their own account, recorded in their name', async () => {
    const { rule, account } = await make('own', 'ann', await signIn(ann))
    assert.deepEqual([rule.accountId, account.username], [ann?.id, 'ann'])
    const [entry] = await service.installation.audit.list({ subject: 'own' }, { limit: 1 })
    assert.deepEqual(
      [entry?.action, entry?.actor, entry?.source, JSON.parse(entry?.details ?? '').via],
      ['publisher.add', 'account:ann', '192.0.2.1', 'console'],
    )
  })

  test('a rule can be created until five minutes after the sign-in', async () => {
    const maker = await signIn(ann)
    now = new Date(now.getTime() + JUST_SIGNED_IN_MS - 1000)
    await make('in-time', 'ann', maker)
    now = new Date(now.getTime() + 1000)
    await assert.rejects(make('too-late', 'ann', maker), {
      code: 'recent-sign-in-required',
      extra: { max_age: 300 },
    })
    assert.equal(await service.installation.rules.find('too-late'), undefined)
    await make('after-all', 'ann', await signIn(ann))
  })

  test('guarantee: neither an agent nor a login of an unknown kind can create a rule', async () => {
    for (const how of [{ kind: 'agent', name: 'line' }, { kind: 'unknown' }] as const) {
      await assert.rejects(make('by-agent', 'ann', await signIn(ann, how)), { code: 'person-required' })
    }
    assert.equal(await service.installation.rules.find('by-agent'), undefined)
  })

  test('a user cannot create a rule for another account', async () => {
    await assert.rejects(make('stolen', 'bob', await signIn(ann)), {
      code: 'invalid-field',
      message: 'You can create rules only for your own account.',
    })
    await make('given', 'bob', { authority: deciding() })
    assert.equal((await service.installation.rules.find('given'))?.rule.accountId, bob?.id)
  })

  test('guarantee: a revoked session or a disabled account cannot create a rule', async () => {
    const maker = await signIn(ann)
    const { query } = service.installation.database
    await query
      .updateTable('token_session')
      .set({ revoked_at: now.getTime(), revoked_by: 'ann' })
      .where('session_id', '=', maker.own.manager.sessionId)
      .execute()
    await assert.rejects(make('revoked', 'ann', maker), {
      message: 'Your session was revoked in the meantime. Sign in again.',
    })
    const other = await signIn(ann)
    await query.updateTable('account').set({ disabled_at: 1 }).where('username', '=', 'ann').execute()
    await assert.rejects(make('disabled', 'ann', other), {
      message: /^The account "ann" has been disabled since /,
    })
    await query.updateTable('account').set({ disabled_at: null }).where('username', '=', 'ann').execute()
    for (const name of ['revoked', 'disabled']) {
      assert.equal(await service.installation.rules.find(name), undefined)
    }
  })

  test('guarantee: no operation of the management API creates a rule', () => {
    const making = Object.values<ManagementOperation>(MANAGEMENT_OPERATIONS).filter(({ actions = [] }) =>
      actions.includes('publisher.add'),
    )
    assert.deepEqual(making, [])
  })
})
