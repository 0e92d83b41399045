/**
 * Reminders about signing keys, API keys and roles: their recipients, and what needs no reminder. On both databases.
 */
import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { DEFAULT_POLICY } from '../../src/brands/models/model-policy.ts'
import {
  addApiKey,
  addBrand,
  addModel,
  addSigningKey,
  disableSigningKey,
  revokeApiKey,
} from '../support/as-operator.ts'
import { accountKeyFile, addTestRoot, testKey, vector } from '../support/brands.ts'
import { eachDatabase } from '../support/databases.ts'
import { testMailServer } from '../support/mail-server.ts'
import { giveRoles } from '../support/managers.ts'
import { DAY, remindersOf, type TestReminders, toNoon } from '../support/reminders.ts'
import { addPerson, testService } from '../support/service.ts'
import { webhookReceiver } from '../support/webhook-receiver.ts'

const MODEL = { brandId: 'acme-brand', model: 'acme-classic' }

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  const mail = testMailServer()
  const webhook = webhookReceiver()
  let reminders: TestReminders
  let keyEnd: Date
  const inDays = (days: number) => new Date(service.now().getTime() + days * DAY)
  const names = ['manager', 'everywhere', 'chief', 'approver', 'elsewhere', 'quiet', 'former'] as const
  const emailOf = (name: string) => `${name}@example.org`

  before(async () => {
    const { installation } = service
    await addTestRoot(installation)
    const roles = {
      manager: 'brand-manager acme-brand',
      everywhere: 'brand-manager',
      chief: 'operator',
      approver: 'device-approver acme-brand',
      elsewhere: 'brand-manager other-brand',
      quiet: 'operator',
      former: 'brand-manager acme-brand',
    }
    for (const name of names) {
      const account = await addPerson(service, name)
      await giveRoles(service, account, roles[name])
      if (name === 'quiet') await installation.accounts.switchReminders(account.id, service.now())
      if (name === 'former') {
        // It expired, and its row still exists.
        await installation.database.query
          .updateTable('role_grant')
          .set({ expires_at: 1 })
          .where('subject', '=', account.id)
          .execute()
      }
    }
    const key = testKey('brand')
    keyEnd = new Date(`${inDays(200).toISOString().slice(0, 10)}T18:00:00Z`)
    const until = { until: keyEnd.toISOString() }
    await addBrand(
      {
        account: vector('world/account-acme-brand'),
        accountKey: accountKeyFile('acme-brand', key, until),
        signingKey: vector('world/keys/brand.pem'),
      },
      installation,
    )
    await addModel(
      { file: vector('world/model-acme-classic'), policy: { registration: 'auto', ...DEFAULT_POLICY } },
      installation,
    )
    reminders = await remindersOf(installation, { mail, webhook })
  })
  beforeEach(() => toNoon(service))

  /** Returns the recipients of mail, and the events, since the last call. */
  const run = async () => {
    service.advance(11 * 60_000)
    await reminders.run()
    const letters = mail.take()
    return { letters, to: letters.flatMap(({ to }) => to).toSorted(), events: webhook.take().taken }
  }
  const MANAGERS = ['chief', 'everywhere', 'manager'].map(emailOf)

  test('an API key reminds only managers of its brand, and no one if revoked, used up or without an expiry', async () => {
    const { installation } = service
    const common = { model: MODEL, useLimit: null }
    const end = inDays(60)
    const { key } = await addApiKey({ ...common, label: 'line 1', expiresAt: end }, installation)
    const revoked = await addApiKey({ ...common, label: 'revoked', expiresAt: end }, installation)
    await addApiKey({ ...common, label: 'endless', expiresAt: null }, installation)
    const used = await addApiKey({ ...common, label: 'used up', expiresAt: end, useLimit: 1 }, installation)
    await installation.database.query
      .updateTable('api_key')
      .set({ uses: 1 })
      .where('id', '=', used.key.id)
      .execute()
    await revokeApiKey(revoked.key.id, installation)
    assert.deepEqual((await run()).to, [])
    service.advance(30 * DAY)
    const { to, letters, events } = await run()
    assert.deepEqual(to, MANAGERS)
    for (const { text } of letters) {
      assert.match(text, /The API key "line 1" of the model acme-brand\/acme-classic expires in 30 days/)
      assert.match(text, /https:\/\/store\.example\.com\/console\/models\/acme-brand\/acme-classic\n/)
      assert.doesNotMatch(text, /ratafia_ak_/)
    }
    assert.deepEqual(
      events.map(({ type, data }) => [type, data]),
      [
        [
          'api-key.expiring',
          {
            ...{ id: key.id, model: 'acme-brand/acme-classic', label: 'line 1' },
            ...{ ends_at: end.toISOString(), days: 30 },
            url: 'https://store.example.com/console/models/acme-brand/acme-classic',
          },
        ],
      ],
    )
    service.advance(23 * DAY)
    await mail.stop()
    webhook.answerWith({ status: 500 })
    await run()
    await revokeApiKey(key.id, installation)
    await mail.start()
    webhook.answerWith(undefined)
    service.advance(3_600_000)
    const later = await run()
    assert.deepEqual([later.to, later.events], [[], []], 'revoked after it was queued')
  })

  test('a signing key reminds managers of the brand, and no one if another outlives it or it is disabled', async () => {
    const { installation } = service
    const keyId = testKey('brand').publicKey.id
    const [stored] = await installation.brands.keys('acme-brand')
    assert.equal(stored?.keyId, keyId)
    service.advance(keyEnd.getTime() - service.now().getTime() - 7 * DAY)
    toNoon(service)
    service.advance(-DAY)
    const { to, letters, events } = await run()
    assert.deepEqual(to, MANAGERS)
    assert.match(
      letters[0]?.text ?? '',
      /The signing key "serials" of the brand acme-brand expires in 7 days/,
    )
    assert.match(letters[0]?.text ?? '', /https:\/\/store\.example\.com\/console\/brands\/acme-brand\n/)
    assert.deepEqual(
      events.map(({ type, data }) => [type, data['key_id'], data['brand'], data['days']]),
      [['signing-key.expiring', keyId, 'acme-brand', 7]],
    )
    // The e-mail was queued, but not delivered before there was another key.
    service.advance(6 * DAY)
    await mail.stop()
    webhook.answerWith({ status: 500 })
    await run()
    const other = testKey('device2')
    await addSigningKey(
      {
        accountKey: accountKeyFile('acme-brand', other),
        signingKey: { name: 'device2.pem', bytes: vector('world/keys/device2.pem').bytes },
      },
      installation,
    )
    await mail.start()
    webhook.answerWith(undefined)
    service.advance(3_600_000)
    const replaced = await run()
    assert.deepEqual([replaced.to, replaced.events], [[], []])
    await disableSigningKey({ keyId: other.publicKey.id, force: true }, installation)
    service.advance(DAY)
    const left = await run()
    assert.deepEqual(left.to, MANAGERS, 'the other key is disabled, so this is the last one again')
    await disableSigningKey({ keyId, force: true }, installation)
    const disabled = await run()
    assert.deepEqual([disabled.to, disabled.events], [[], []])
  })

  test('a role reminds its account, and no one if it was granted again without an expiry', async () => {
    const { installation } = service
    const account = await addPerson(service)
    const other = await addPerson(service)
    const granted = {
      ...({ role: 'device-approver', brandId: 'acme-brand' } as const),
      ...{ grantedAt: service.now(), agents: [] },
    }
    for (const { id } of [account, other]) {
      await installation.grants.add({
        ...{ ...granted, accountId: id, grantedBy: 'operator', expiresAt: inDays(90) },
      })
    }
    service.advance(60 * DAY)
    await installation.grants.remove({ ...granted, accountId: other.id })
    await installation.grants.add({
      ...{ ...granted, accountId: other.id, grantedBy: 'operator', expiresAt: undefined },
    })
    const { to, letters, events } = await run()
    assert.deepEqual(to, [account.email])
    assert.match(
      letters[0]?.text ?? '',
      /Your role device-approver for the brand acme-brand expires in 30 days/,
    )
    assert.deepEqual(
      events.map(({ type, data }) => [type, data['account'], data['role'], data['brand']]),
      [['grant.expiring', account.username, 'device-approver', 'acme-brand']],
    )
    // Its expiry changes while the reminder waits.
    service.advance(23 * DAY)
    await mail.stop()
    webhook.answerWith({ status: 500 })
    await run()
    await installation.grants.remove({ ...granted, accountId: account.id })
    await installation.grants.add({
      ...{ ...granted, accountId: account.id, grantedBy: 'operator', expiresAt: inDays(100) },
    })
    await mail.start()
    webhook.answerWith(undefined)
    service.advance(3_600_000)
    const prolonged = await run()
    assert.deepEqual([prolonged.to, prolonged.events], [[], []])
  })
})
