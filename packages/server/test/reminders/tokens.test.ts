/** Reminders about expiring tokens: their recipients, times and number, by mail and by webhook, on both databases. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, beforeEach, test } from 'node:test'
import type { SessionId } from '@ratafia/api'
import { disableAccount } from '../../src/accounts/disable.ts'
import { removeAccount } from '../../src/accounts/removal/remove-account.ts'
import { shortenSession } from '../../src/tokens/administration/shorten-session.ts'
import { deciding } from '../support/authorities.ts'
import { eachDatabase } from '../support/databases.ts'
import { testMailServer } from '../support/mail-server.ts'
import { manage, managementToken } from '../support/managers.ts'
import { addSession, DAY, remindersOf, type TestReminders, toNoon } from '../support/reminders.ts'
import { addPerson, logIn, testService } from '../support/service.ts'
import { webhookReceiver } from '../support/webhook-receiver.ts'

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  const mail = testMailServer()
  const webhook = webhookReceiver()
  let reminders: TestReminders
  before(async () => {
    reminders = await remindersOf(service.installation, { mail, webhook })
  })
  beforeEach(() => toNoon(service))

  const lettersTo = (email: string) => mail.take().filter(({ to }) => to.includes(email))
  const eventsOf = (account: string) => webhook.take().taken.filter(({ data }) => data['account'] === account)
  const rows = () => service.installation.database.query.selectFrom('reminder').selectAll().execute()
  /** Due reminders are looked for every ten minutes. */
  const soon = async () => {
    service.advance(11 * 60_000)
    await reminders.run()
  }
  /** Advances the time, as if the job had run once a day. */
  const inDays = async (days: number) => {
    for (let day = 0; day < days; day++) {
      service.advance(DAY)
      await reminders.run()
    }
  }

  test('sends one e-mail and one event 30, 7 and 1 day before expiry and on the day, and no others', async () => {
    const ada = await addPerson(service)
    const expires = new Date(service.now().getTime() + 100 * DAY + 3_600_000).toISOString()
    await logIn(service, ada, { expires, description: 'ci: hello-world edge' })
    const [session] = await service.installation.tokenSessions.list({ accountId: ada.id, limit: 1 })
    assert.ok(session)
    await inDays(69)
    assert.deepEqual([lettersTo(ada.email), eventsOf(ada.username)], [[], []], '31 days before')
    const seen: unknown[] = []
    for (const days of [30, 7, 1, 0]) {
      const left = Math.round((session.validUntil.getTime() - service.now().getTime()) / DAY) - days
      await inDays(left - 1)
      assert.deepEqual([lettersTo(ada.email), eventsOf(ada.username)], [[], []], `not yet: ${days}`)
      await inDays(1)
      for (let run = 0; run < 3; run++) await soon()
      service.advance(-33 * 60_000)
      const letters = lettersTo(ada.email)
      const events = eventsOf(ada.username)
      assert.equal(letters.length, 1, `one letter: ${days}`)
      assert.equal(events.length, 1, `one event: ${days}`)
      const [letter, event] = [letters[0], events[0]]
      assert.ok(letter && event)
      seen.push(letter.headers.get('subject')?.[0])
      assert.equal(event.type, 'token.expiring')
      assert.deepEqual(event.data, {
        session_id: session.id,
        account_id: ada.id,
        account: ada.username,
        description: 'ci: hello-world edge',
        ends_at: session.validUntil.toISOString(),
        days,
        url: `https://store.example.com/console/tokens/new?from=${session.id}`,
      })
      assert.ok(Math.abs(event.timestamp * 1000 - service.now().getTime()) < 3_600_000)
      assert.deepEqual(letter.from, 'ratafia@store.example.com')
      assert.deepEqual(letter.headers.get('list-unsubscribe'), ['<https://store.example.com/console/me>'])
      assert.match(letter.text, new RegExp(`/console/tokens/new\\?from=${session.id}\n`))
      assert.match(letter.text, /switch them off here:\n {2}https:\/\/store\.example\.com\/console\/me\n/)
      const at = session.validUntil.toISOString()
      assert.ok(letter.text.includes(`, at ${at.slice(11, 16)} UTC on ${Number(at.slice(8, 10))} `))
    }
    assert.deepEqual(
      seen,
      ['expires in 30 days', 'expires in 7 days', 'expires tomorrow', 'expires today'].map(
        (when) => `store.example.com: your token "ci: hello-world edge" ${when}`,
      ),
    )
    await inDays(3)
    assert.deepEqual([lettersTo(ada.email), eventsOf(ada.username)], [[], []], 'after expiry')
    assert.deepEqual(mail.logins.at(-1), 'store:p@ss')
  })

  test('a receiver that is down for two days gets everything once, with the same ids, when it is back', async () => {
    const bob = await addPerson(service)
    const session = await addSession(service, bob, { endsIn: 7 })
    webhook.answerWith('hang-up')
    await mail.stop()
    await soon()
    const tries: unknown[] = []
    for (let minutes = 0; minutes < 2 * 24 * 60; minutes += 30) {
      service.advance(30 * 60_000)
      await reminders.run()
      // A redirect and a failure don't count as deliveries.
      webhook.answerWith(minutes % 60 === 0 ? { status: 503 } : { status: 302, location: '/elsewhere' })
      tries.push(...webhook.take().refused.filter(({ data }) => data['account'] === bob.username))
    }
    assert.ok(tries.length >= 8 && tries.length < 30, `backing off: ${tries.length}`)
    webhook.answerWith(undefined)
    await mail.start()
    for (let hours = 0; hours < 8; hours++) {
      service.advance(3_600_000)
      await reminders.run()
    }
    const events = eventsOf(bob.username)
    assert.deepEqual(
      events.map(({ data }) => [data['session_id'], data['days']]),
      [[session, 7]],
    )
    const letters = lettersTo(bob.email)
    assert.equal(letters.length, 1)
    assert.match(letters[0]?.text ?? '', /expires in 5 days/, 'the current state')
    const ids = new Set([...tries, ...events].map((event) => (event as { id: string }).id))
    assert.equal(ids.size, 1, 'one id for all attempts')
    const times = new Set([...tries, ...events].map((event) => (event as { at: string }).at))
    assert.equal(times.size, 1)
  })

  test('gives up after three days, and counts it', async () => {
    const carl = await addPerson(service)
    await addSession(service, carl, { endsIn: 7 })
    webhook.answerWith({ status: 500 })
    mail.refuseWith(451)
    const before = await reminders.counted()
    await soon()
    for (let hours = 0; hours < 3 * 24 + 7; hours++) {
      service.advance(3_600_000)
      await reminders.run()
    }
    webhook.answerWith(undefined)
    mail.refuseWith(undefined)
    await inDays(2)
    assert.deepEqual([lettersTo(carl.email), eventsOf(carl.username)], [[], []])
    const counted = await reminders.counted()
    for (const channel of ['mail', 'webhook']) {
      const more = (outcome: string) =>
        (counted[`${channel} ${outcome}`] ?? 0) - (before[`${channel} ${outcome}`] ?? 0)
      assert.equal(more('given-up'), 1)
      assert.ok(more('retried') >= 10, `retried ${more('retried')}`)
    }
    assert.ok(reminders.log.some((entry) => 'recipient' in entry && entry.recipient === carl.id))
  })

  test('an e-mail that the mail server refuses permanently is not sent again, and does not block others', async () => {
    const dora = await addPerson(service)
    await addSession(service, dora, { endsIn: 1 })
    mail.refuseWith(550)
    await soon()
    mail.refuseWith(undefined)
    service.advance(3_600_000)
    await reminders.run()
    assert.deepEqual(lettersTo(dora.email), [])
    const mine = (await rows()).filter(({ recipient }) => recipient === dora.id)
    assert.deepEqual(
      mine.map(({ outcome, next_at, attempts }) => [outcome, next_at, attempts]),
      [['given-up', null, 1]],
    )
  })

  test('a service that was down on the day sends the step once when it is back', async () => {
    const emma = await addPerson(service)
    await addSession(service, emma, { endsIn: 8 })
    await soon()
    assert.equal(lettersTo(emma.email).length, 1, 'the step of 30 days is the current one')
    service.advance(5 * DAY)
    await soon()
    service.advance(DAY)
    await soon()
    const letters = lettersTo(emma.email)
    assert.equal(letters.length, 1)
    assert.match(letters[0]?.text ?? '', /expires in 3 days/)
    await inDays(1)
    assert.match(lettersTo(emma.email)[0]?.text ?? '', /expires tomorrow/)
  })

  test('does not send reminders about short-lived tokens, or on the day they were created', async () => {
    const finn = await addPerson(service)
    await addSession(service, finn, { endsIn: 0.3, life: 0.4, description: 'a login of a day' })
    await addSession(service, finn, { endsIn: 1, life: 2.9, description: 'two days and more' })
    await addSession(service, finn, { endsIn: 30, life: 30, description: 'a month' })
    await addSession(service, finn, { endsIn: 0.3, columns: { rule_id: 'r', job: '{}' } })
    await addSession(service, finn, { endsIn: 0.3, columns: { kind: 'management' } })
    await soon()
    assert.deepEqual([lettersTo(finn.email), eventsOf(finn.username)], [[], []])
    await inDays(23)
    const letters = lettersTo(finn.email)
    assert.equal(letters.length, 1)
    assert.match(letters[0]?.text ?? '', /"a month" expires in 7 days/)
  })

  const GONE: readonly [
    what: string,
    end: (session: string, id: string, username: string) => Promise<unknown>,
  ][] = [
    [
      'revoked',
      (session) =>
        service.installation.tokenSessions.revoke({
          id: session as SessionId,
          at: service.now(),
          by: 'operator',
        }),
    ],
    [
      'replaced by another one, which shortens its lifetime',
      (session, id, username) =>
        shortenSession(
          {
            sessionId: session,
            authority: { ...deciding(username), accountId: id as never } as never,
            until: new Date(service.now().getTime() + 2 * DAY),
          },
          service.installation,
        ),
    ],
    [
      'of a disabled account',
      (_, id) => disableAccount({ account: id, authority: deciding() }, service.installation),
    ],
  ]
  for (const [what, end] of GONE) {
    test(`does not send a reminder about a token that is ${what}, even if it was queued before`, async () => {
      const [first, second] = [await addPerson(service), await addPerson(service)]
      await end(await addSession(service, first, { endsIn: 6 }), first.id, first.username)
      const later = await addSession(service, second, { endsIn: 6 })
      await mail.stop()
      webhook.answerWith({ status: 500 })
      await soon()
      await end(later, second.id, second.username)
      await mail.start()
      webhook.answerWith(undefined)
      webhook.take()
      service.advance(3_600_000)
      await soon()
      const letters = mail.take().flatMap(({ to }) => to)
      for (const { email } of [first, second]) assert.ok(!letters.includes(email))
      const { taken } = webhook.take()
      for (const { username } of [first, second]) {
        assert.deepEqual(
          taken.filter(({ data }) => data['account'] === username),
          [],
        )
      }
    })
  }

  test('an account can switch its reminders off, and on again', async () => {
    const gina = await addPerson(service)
    const token = await managementToken(service, gina)
    const { body, headers } = await manage(service, token, 'GET', '/me/reminders')
    assert.deepEqual(body, { reminders: true, email: gina.email, sent_by: [] })
    const etag = headers.get('etag') ?? ''
    const off = await manage(service, token, 'PATCH', '/me/reminders', {
      body: { reminders: false },
      headers: { 'if-match': etag },
    })
    assert.deepEqual([off.status, off.body], [200, { reminders: false, email: gina.email, sent_by: [] }])
    await addSession(service, gina, { endsIn: 7 })
    await soon()
    assert.deepEqual(lettersTo(gina.email), [])
    assert.equal(eventsOf(gina.username).length, 1, 'the webhook belongs to the operator')
    const now = (await manage(service, token, 'GET', '/me/reminders')).headers.get('etag') ?? ''
    await manage(service, token, 'PATCH', '/me/reminders', {
      body: { reminders: true },
      headers: { 'if-match': now },
    })
    await soon()
    assert.equal(lettersTo(gina.email).length, 1)
  })

  test('several tokens of one account share an e-mail, and an account without an address does not get one', async () => {
    const hugo = await addPerson(service)
    const ids = []
    for (const description of ['one', 'two', 'three']) {
      ids.push(await addSession(service, hugo, { endsIn: 7, description }))
    }
    const ivy = await addPerson(service)
    await service.installation.accounts.edit(ivy.id, { email: '' })
    await addSession(service, ivy, { endsIn: 7 })
    await soon()
    const letters = lettersTo(hugo.email)
    assert.equal(letters.length, 1)
    assert.equal(
      letters[0]?.headers.get('subject')?.[0],
      'store.example.com: 3 of your tokens, keys and roles expire soon',
    )
    for (const id of ids) assert.ok(letters[0]?.text.includes(`from=${id}`))
    assert.equal((await rows()).filter(({ recipient }) => recipient === ivy.id).length, 0)
  })

  test("guarantee: a description can't add a header, line or recipient, or hide text", async () => {
    const jack = await addPerson(service)
    const hostile = 'x"\r\nBcc: victim@example.org\r\n\r\n<b>hi</b> \u202Egnp.exe\u200b\u0000'
    await addSession(service, jack, { endsIn: 7, description: hostile.replace('\u0000', '') })
    await soon()
    const [letter] = lettersTo(jack.email)
    assert.ok(letter)
    assert.deepEqual(letter.to, [jack.email])
    assert.equal(letter.headers.get('bcc'), undefined)
    assert.equal(letter.headers.get('subject')?.length, 1)
    const shown =
      'x"⟨U+000D⟩⟨U+000A⟩Bcc: victim@example.org⟨U+000D⟩⟨U+000A⟩⟨U+000D⟩⟨U+000A⟩<b>hi</b> ⟨U+202E⟩gnp.exe⟨U+200B⟩'
    assert.ok(letter.headers.get('subject')?.[0]?.includes(shown), letter.headers.get('subject')?.[0])
    assert.ok(letter.text.includes(`Your token "${shown}" expires in 7 days`))
    assert.match(letter.headers.get('content-type')?.[0] ?? '', /^text\/plain/)
  })

  test('a removed account leaves no row', async () => {
    const kim = await addPerson(service)
    await addSession(service, kim, { endsIn: 7 })
    await soon()
    const of = async () => (await rows()).filter(({ recipient }) => recipient === kim.id).length
    assert.equal(await of(), 1)
    await removeAccount({ account: kim.username, authority: deciding() }, service.installation)
    assert.equal(await of(), 0)
  })

  test('rows are removed a month after expiry, and not before', async () => {
    const liv = await addPerson(service)
    const session = await addSession(service, liv, { endsIn: 1 })
    await soon()
    const count = async () => (await rows()).filter(({ subject }) => subject === session).length
    assert.equal(await count(), 2)
    service.advance(30 * DAY)
    await reminders.retain()
    assert.equal(await count(), 2)
    service.advance(DAY)
    await reminders.retain()
    assert.equal(await count(), 0)
  })

  test('one of many concurrent processes queues and sends each reminder', async () => {
    const mia = await addPerson(service)
    const ids = await Promise.all(
      Array.from({ length: 5 }, () => addSession(service, mia, { endsIn: 7, description: randomUUID() })),
    )
    const nodes = await Promise.all(
      Array.from({ length: 4 }, () => remindersOf(service.installation, { mail, webhook })),
    )
    mail.take()
    webhook.take()
    await Promise.all(nodes.map((node) => node.run()))
    const events = eventsOf(mia.username).map(({ data }) => data['session_id'])
    assert.deepEqual(events.toSorted(), ids.toSorted())
    const told = lettersTo(mia.email).flatMap(({ text }) => ids.filter((id) => text.includes(id)))
    assert.deepEqual(told.toSorted(), ids.toSorted())
  })
})
