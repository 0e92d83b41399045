/** Tests that no session outlives its rule, not even one opened while the rule is being removed or disabled. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { addRule } from '../../src/ci/rules/making/add-rule.ts'
import { disableRule } from '../../src/ci/rules/managing/disable-rule.ts'
import { removeRule } from '../../src/ci/rules/managing/remove-rule.ts'
import { inTransaction } from '../../src/database/index.ts'
import { addAccount, removeAccount } from '../support/accounts.ts'
import { deciding } from '../support/authorities.ts'
import { eachDatabase } from '../support/databases.ts'
import { GITLAB, givenIssuer, givenSession } from '../support/rules.ts'
import { testService } from '../support/service.ts'

eachDatabase((kind, _open, fresh) => {
  const service = testService(fresh)
  before(async () => {
    const { installation } = service
    await givenIssuer(installation.database, GITLAB, 'gitlab')
    const person = { username: 'build', email: 'b@example.org', name: 'Build', password: undefined }
    await addAccount(person, installation)
  })

  for (const [verb, end] of [
    ['remove', removeRule],
    ['disable', disableRule],
  ] as const) {
    test(`${verb} waits for an exchange that is about to commit, and revokes its session`, async () => {
      const { installation } = service
      const wanted = { name: verb, issuer: GITLAB, account: 'build', match: { project_id: '20' } }
      const grants = { permissions: ['package_upload'] }
      const { rule } = await addRule(
        { maker: { authority: deciding() }, ...wanted, packages: [{ name: 'hello' }], grants },
        { ...installation, jobMaxLifetime: 900_000 },
      )
      let ended: ReturnType<typeof end> | undefined
      const session = await inTransaction(installation.database.query, async (query) => {
        // An exchange locks its rule in the same way.
        if (kind === 'postgres') {
          await sql`select id from publisher_rule where id = ${rule.id} for share`.execute(query)
        }
        const id = await givenSession({ query }, verb)
        ended = end({ name: verb, authority: deciding() }, installation)
        await sleep(100)
        return id
      })
      assert.equal((await ended)?.revoked, 1)
      const found = await installation.tokenSessions.list({ limit: 100 })
      assert.equal(found.find(({ id }) => id === session)?.revokedBy, 'operator')
    })
  }

  test('a rule for an account that is removed at the same time is not created', async () => {
    const { installation } = service
    const person = { username: 'gone', email: 'g@example.org', name: 'Gone', password: undefined }
    await addAccount(person, installation)
    const wanted = { name: 'late', issuer: GITLAB, account: 'gone', match: { project_id: '20' } }
    const making = addRule(
      {
        ...{ maker: { authority: deciding() }, ...wanted, packages: [{ name: 'hello' }] },
        grants: { permissions: ['package_upload'] },
      },
      {
        ...{ ...installation, jobMaxLifetime: 900_000 },
        changeBy: (author) => async (work) => {
          await removeAccount({ account: 'gone' }, installation)
          return installation.changeBy(author)(work)
        },
      },
    )
    await assert.rejects(making, {
      code: 'invalid-field',
      message: 'The account "gone" was just removed.',
    })
    assert.equal(await installation.rules.find('late'), undefined)
  })
})
