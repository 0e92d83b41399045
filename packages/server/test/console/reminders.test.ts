/** Guarantee: pages promise mail only if a mail server is set. Otherwise, every page explains what happens instead. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { type ConsoleBrowser, consoleOf, textOf } from '../support/console.ts'
import { oneDatabase } from '../support/databases.ts'
import { addOperator, manage, managementToken } from '../support/managers.ts'
import { addPerson, testService } from '../support/service.ts'

const MAIL = { RATAFIA_SMTP_URL: 'smtp://127.0.0.1:9' }
const WEBHOOK = { RATAFIA_WEBHOOK_URL: 'http://127.0.0.1:9/', RATAFIA_WEBHOOK_SECRET: 'x'.repeat(32) }

const SETTINGS = [
  {
    ...{ name: 'neither mail nor a webhook', environment: {}, sentBy: [] },
    without:
      /This service has no mail server\. An operator can set RATAFIA_SMTP_URL or RATAFIA_WEBHOOK_URL \./,
    status: /^Mail is off: .*Set `RATAFIA_SMTP_URL` for mail, or `RATAFIA_WEBHOOK_URL`/,
  },
  {
    ...{ name: 'a webhook alone', environment: WEBHOOK, sentBy: ['webhook'] },
    without:
      /has no mail server\. An operator can set RATAFIA_SMTP_URL \. Its webhook receives each reminder\./,
    status: /^Mail is off, and the webhook gets each reminder\..*set `RATAFIA_SMTP_URL`\.$/,
  },
  {
    ...{ name: 'mail alone', environment: MAIL, sentBy: ['mail'], without: undefined },
    status: /^Mail is on: the service mails reminders about what expires\.$/,
  },
  {
    ...{ name: 'mail and a webhook', environment: { ...MAIL, ...WEBHOOK }, sentBy: ['mail', 'webhook'] },
    ...{ without: undefined, status: /^Mail is on: .*, and posts them to the webhook\.$/ },
  },
] as const

/** The text of each page with mail and without. */
const PAGES: readonly (readonly [path: string, on: RegExp, off: RegExp])[] = [
  [
    '/console/tokens/new',
    /Reminders go to \S+@example\.org 30, 7 and 1 day before/,
    /You do not get an e-mail before it expires\./,
  ],
  ['/console/me', /You get mail 30, 7 and 1 day before/, /You do not get expiry reminders, although/],
  ['/console/accounts/new', /Expiry reminders are sent there\./, /would be sent there\./],
  [
    '/console/accounts/USER/edit',
    /E-mail reminders before tokens and keys expire/,
    /E-mail reminders before tokens and keys expire/,
  ],
]

for (const { name, environment, sentBy, without, status } of SETTINGS) {
  describe(`with ${name}`, () => {
    oneDatabase((_kind, _open, fresh) => {
      const service = testService(fresh, environment)
      let operator: ConsoleBrowser
      let token: string
      let username: string
      before(async () => {
        const account = await addOperator(service)
        ;({ username } = await addPerson(service))
        operator = await consoleOf(service, account)
        token = await managementToken(service, account)
      })

      for (const [path, on, off] of PAGES) {
        test(`${path} promises ${without ? 'no mail' : 'mail'}`, async () => {
          const page = textOf(await operator.open(path.replace('USER', username)))
          assert.match(page, without ? off : on)
          if (without) {
            assert.match(page, without)
            if (on.source !== off.source) assert.doesNotMatch(page, on)
          } else assert.doesNotMatch(page, /no mail server/)
        })
      }

      test('the account page and the status show whether mail is on', async () => {
        const account = textOf(await operator.get(`/console/accounts/${username}`))
        assert.match(
          account,
          without ? /E-mail reminders on, but this service cannot send mail/ : /E-mail reminders on /,
        )
        assert.equal(account.includes('cannot send mail'), without !== undefined)
        const page = textOf(await operator.get('/console/status'))
        assert.match(page, without ? /Reminders and mail ● OK Mail is off/ : /Mail is on: /)
        const { body } = await manage(service, token, 'GET', '/status')
        const findings: readonly { part: string; state: string; says: string }[] = body.findings
        const found = findings.find(({ part }) => part === 'reminders')
        assert.equal(found?.state, 'ok')
        assert.match(found?.says ?? '', status)
      })

      test('the API returns how reminders are sent', async () => {
        for (const reminders of [false, true]) {
          const before = await manage(service, token, 'GET', '/me/reminders')
          const headers = { 'if-match': before.headers.get('etag') ?? '' }
          const asking = { body: { reminders }, headers }
          const switched = await manage(service, token, 'PATCH', '/me/reminders', asking)
          assert.equal(switched.status, 200)
          const { body } = await manage(service, token, 'GET', '/me/reminders')
          assert.deepEqual([body.reminders, body.sent_by], [reminders, sentBy])
          assert.deepEqual(switched.body, body)
        }
      })
    })
  })
}

describe('with mail, for an account that gets none', () => {
  oneDatabase((_kind, _open, fresh) => {
    const service = testService(fresh, MAIL)

    test('the new-token form explains why', async () => {
      const account = await addPerson(service)
      const browser = await consoleOf(service, account)
      await browser.fill('/console/me')
      const page = await browser.get('/console/tokens/new')
      assert.match(textOf(page), /You do not get an e-mail before it expires\. You disabled reminders/)
      assert.match(page.text, /<a href="\/console\/me">Sign-in and agents<\/a>/)
    })
  })
})
