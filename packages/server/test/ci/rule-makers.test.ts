/** Who makes rules (contract/oidc.md, A12): the operator, and a person who just signed in. Never a token. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Account } from '../../src/accounts/account.ts'
import { accountActor } from '../../src/change.ts'
import { addRule } from '../../src/ci/rules/making/add-rule.ts'
import { RECENT_SIGN_IN_MS, type RuleMaker } from '../../src/ci/rules/making/rule-maker.ts'
import { type SignedIn, signedInSince, startSession } from '../../src/identity/logins/browser-session.ts'
import { addAccount } from '../support/accounts.ts'
import { deciding } from '../support/authorities.ts'
import { eachDatabase } from '../support/databases.ts'
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
  const signIn = async (account: Account | undefined) => {
    assert.ok(account)
    const recheck = async () => 'right' as const
    const started = await startSession({ account, seen: 0, address: '192.0.2.1', recheck }, deps())
    assert.equal(started.outcome, 'signed-in')
    const browser = await signedInSince('cookie' in started ? started.cookie : '', deps())
    return {
      browser: browser ?? assert.fail('it is signed in'),
      author: { actor: accountActor(account.username), source: '192.0.2.1' },
    }
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

  test('a person who just signed in makes a rule of their own account, in their own name', async () => {
    const { rule, account } = await make('own', 'ann', await signIn(ann))
    assert.deepEqual([rule.accountId, account.username], [ann?.id, 'ann'])
    const [entry] = await service.installation.audit.list({ subject: 'own' }, { limit: 1 })
    assert.deepEqual(
      [entry?.action, entry?.actor, entry?.source],
      ['publisher.add', 'account:ann', '192.0.2.1'],
    )
  })

  test('a second before five minutes after the sign-in a rule is made, and then it is not', async () => {
    const maker = await signIn(ann)
    now = new Date(now.getTime() + RECENT_SIGN_IN_MS - 1000)
    await make('in-time', 'ann', maker)
    now = new Date(now.getTime() + 1000)
    await assert.rejects(make('too-late', 'ann', maker), {
      code: 'macaroon-authorization-required',
      message: 'You signed in 5 minutes ago or earlier. Sign in again, and then make the rule.',
    })
    assert.equal(await service.installation.rules.find('too-late'), undefined)
    await make('after-all', 'ann', await signIn(ann))
  })

  test("a person makes no rule of somebody else's account", async () => {
    await assert.rejects(make('stolen', 'bob', await signIn(ann)), {
      code: 'invalid-field',
      message: 'You can make rules for your own account only.',
    })
    await make('given', 'bob', { authority: deciding() })
    assert.equal((await service.installation.rules.find('given'))?.rule.accountId, bob?.id)
  })

  test('a token cannot make a rule: no type allows it, and none can be made up', () => {
    const account = ann ?? assert.fail('she is there')
    // @ts-expect-error a token has an account and a session, and no cookie was looked up
    const byToken: RuleMaker = { by: 'person', browser: { account, signedInAt: new Date() } }
    const browser: SignedIn = { account, sessionHash: Buffer.alloc(32) }
    // @ts-expect-error not even a signed-in browser, unless the time of its sign-in was read with it
    const byHand: RuleMaker = { by: 'person', browser: { ...browser, signedInAt: new Date() } }
    // @ts-expect-error
    const byName: RuleMaker = { by: 'token' }
    assert.ok([byToken, byHand, byName])
  })
})
