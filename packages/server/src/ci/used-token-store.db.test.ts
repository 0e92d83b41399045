/** Guarantee: an ID token opens a session only by its matched rule, while rule, issuer and account are valid. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import { newSessionId } from '@ratafia/api'
import { addAccount, disableAccount, enableAccount } from '../../test/support/accounts.ts'
import { deciding } from '../../test/support/authorities.ts'
import { eachDatabase } from '../../test/support/databases.ts'
import { GITLAB, givenIssuer } from '../../test/support/rules.ts'
import { testService } from '../../test/support/service.ts'
import { addRule } from './rules/making/add-rule.ts'
import { disableRule } from './rules/managing/disable-rule.ts'
import { removeRule } from './rules/managing/remove-rule.ts'
import type { Use } from './used-token-store.ts'

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  before(async () => {
    const { installation } = service
    await givenIssuer(installation.database, GITLAB, 'gitlab')
    const person = { username: 'build', email: 'b@example.org', name: 'Build', password: undefined }
    await addAccount(person, installation)
  })

  const ruleNamed = async (name: string) => {
    const { installation } = service
    const wanted = { name, issuer: GITLAB, account: 'build', match: { project_id: '20' } }
    const grants = { permissions: ['package_upload'] }
    const { rule } = await addRule(
      { maker: { authority: deciding() }, ...wanted, packages: [{ name: 'hello' }], grants },
      { ...installation, jobMaxLifetime: 900_000 },
    )
    return rule
  }

  const useBy = (rule: Use['rule'], more: Partial<Use> = {}): Use => {
    const id = newSessionId()
    const at = new Date()
    return {
      ...{ issuer: GITLAB, key: randomUUID(), at, keepUntil: at, idempotencyHash: undefined, rule },
      session: { id, description: 'x', until: new Date(at.getTime() + 60_000), job: {}, limits: '{}' },
      entry: {
        ...{ id: randomUUID(), at: at.getTime(), actor: 'issuer:x', source: 'x' },
        ...{ action: 'publisher.minted', subject: id, details: '{}' },
      },
      ...more,
    }
  }

  /** Asserts that neither the use, nor the session, nor the audit entry was written. */
  const assertChanged = async (use: Use) => {
    const { installation } = service
    assert.equal(await installation.usedTokens.use(use), 'changed')
    assert.equal(await installation.usedTokens.find(use), undefined)
    const { query } = installation.database
    const sessions = await query
      .selectFrom('token_session')
      .selectAll()
      .where('session_id', '=', use.session.id)
      .execute()
    const entries = await query
      .selectFrom('audit_entry')
      .selectAll()
      .where('subject', '=', use.session.id)
      .execute()
    assert.deepEqual([sessions, entries], [[], []])
  }

  test('an ID token opens one session by the rule that was matched', async () => {
    const { usedTokens } = service.installation
    const use = useBy(await ruleNamed('good'))
    assert.equal(await usedTokens.use(use), 'opened')
    assert.equal((await usedTokens.find(use))?.session?.id, use.session.id)
    const again = useBy(use.rule, { key: use.key })
    assert.equal(await usedTokens.use(again), 'used')
    assert.equal((await usedTokens.find(use))?.session?.id, use.session.id)
  })

  test('a rule of a different version does not open a session', async () => {
    const { id } = await ruleNamed('version')
    await assertChanged(useBy({ id, version: 'another' }))
  })

  test('a rule of a different issuer does not open a session', async () => {
    await assertChanged(useBy(await ruleNamed('issuer'), { issuer: 'https://gitlab.example' }))
  })

  test('a disabled or removed rule does not open a session', async () => {
    const rule = await ruleNamed('ended')
    await disableRule({ name: rule.name, authority: deciding() }, service.installation)
    await assertChanged(useBy(rule))
    await removeRule({ name: rule.name, authority: deciding() }, service.installation)
    await assertChanged(useBy(rule))
  })

  test('a disabled account cannot open a session', async () => {
    const rule = await ruleNamed('account')
    await disableAccount('build', service.installation)
    await assertChanged(useBy(rule))
    await enableAccount('build', service.installation)
    assert.equal(await service.installation.usedTokens.use(useBy(rule)), 'opened')
  })
})
