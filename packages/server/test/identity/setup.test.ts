/** The setup link over HTTP, on every database: it creates the first operator, once, while there is no account. */
import assert from 'node:assert/strict'
import { beforeEach, describe, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { addAccount } from '../../src/accounts/add.ts'
import { directAuthority } from '../../src/authority.ts'
import type { InChange } from '../../src/change.ts'
import { UNCOUNTED } from '../../src/counting/tally.ts'
import { createThrottle } from '../../src/identity/logins/throttle.ts'
import { type SetUpInput, setUp } from '../../src/identity/setup/set-up.ts'
import { makeSetupLink, setupHash } from '../../src/identity/setup/setup-link.ts'
import { localCounters } from '../../src/limits/counters.ts'
import { eachDatabase, oneDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { Browser, type Page } from '../support/identity.ts'
import { observedServices } from '../support/observed.ts'
import { addPerson, type TestService, testService } from '../support/service.ts'

const ADA = { username: 'ada', name: 'Ada Lovelace', email: 'ada@example.org' }
const PASSWORD = 'correct horse battery'
const FORM = { ...ADA, password: PASSWORD, again: PASSWORD }
const MINUTE = 60_000
const HOST = directAuthority({ actor: 'operator', source: 'command line, 0 root' }, 'operator')
const DOES_NOT_WORK = 'This link does not work'

const linkOf = async ({ installation, baseUrl }: Pick<TestService, 'installation' | 'baseUrl'>) => {
  const { secret } = await makeSetupLink({ authority: HOST }, installation)
  return { secret, url: `${baseUrl}/setup/${secret}` }
}

const csrfIn = ({ text }: Page): string => /name="csrf" value="([^"]*)"/.exec(text)?.[1] ?? ''

/** Opens the page, and sends its form. */
async function fillIn(browser: Browser, url: string, fields: Partial<typeof FORM> = {}): Promise<Page> {
  return browser.post(url, { ...FORM, ...fields, csrf: csrfIn(await browser.open(url)) })
}

const EMPTIED = [
  ...['token_activity', 'token_session', 'completed_login', 'sign_in_session', 'role_grant', 'account'],
  ...['setup_link', 'audit_entry'],
]

eachDatabase((kind, _open, fresh) => {
  const service = testService(fresh, { RATAFIA_TRUSTED_PROXIES: '127.0.0.1' })
  /** The address of each test's browser, because failures are counted by address. */
  let address: string
  let tests = 0
  beforeEach(async () => {
    address = `203.0.${++tests}.1`
    const { query } = service.installation.database
    for (const table of EMPTIED) await sql`delete from ${sql.table(table)}`.execute(query)
  })
  const browserAt = (from = address, headers = {}) => new Browser({ 'x-forwarded-for': from, ...headers })
  const rowsOf = async (table: 'account' | 'role_grant' | 'sign_in_session' | 'setup_link') =>
    (await service.installation.database.query.selectFrom(table).selectAll().execute()).length
  const entries = async () => (await service.installation.audit.list({}, { limit: 50 })).toReversed()

  test('creates the account, makes it operator and signs it in to the console', async () => {
    const { url } = await linkOf(service)
    const browser = browserAt(address, { 'x-forwarded-proto': 'https' })
    const page = await browser.open(url)
    assert.deepEqual([page.status, page.title], [200, 'Create the first operator'])
    assert.doesNotMatch(page.text, /plain HTTP/)
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer')
    assert.equal(page.headers.get('cache-control'), 'no-store')
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none';.*form-action 'self'/)
    const landed = await browser.post(url, { ...FORM, csrf: csrfIn(page) })
    assert.deepEqual([landed.status, landed.url], [200, `${service.baseUrl}/console/overview`])
    assert.match(landed.text, />ada set up this installation<\/a>/)
    assert.ok(landed.text.includes(`from ${address})`))
    const { installation } = service
    const account = await installation.accounts.findByUsername('ada' as never)
    assert.deepEqual([account?.name, account?.email, account?.hasPassword], [ADA.name, ADA.email, true])
    const [grant, ...more] = await installation.grants.list({}, { limit: 10 })
    assert.deepEqual([grant?.username, grant?.role, grant?.brandId, more], ['ada', 'operator', undefined, []])
    const recorded = await entries()
    assert.deepEqual(
      recorded.slice(0, 5).map(({ action, actor, source }) => [action, actor, source]),
      [
        ['installation.setup-link', 'operator', 'command line, 0 root'],
        ...['installation.set-up', 'account.add', 'grant.add', 'account.sign-in'].map((action) => [
          ...[action, 'account:ada', address],
        ]),
      ],
    )
    assert.equal(JSON.parse(recorded[1]?.details ?? '').browser, 'Test browser')
  })

  test('the overview shows for seven days who set it up', async () => {
    const { url } = await linkOf(service)
    const browser = browserAt()
    await fillIn(browser, url)
    const overview = async () => {
      const again = browserAt()
      // Sessions expire after hours.
      const page = await again.open(`${service.baseUrl}/console/sign-in`)
      const fields = { ...page.forms[0]?.fields, username: 'ada', password: PASSWORD }
      return (await again.post(new URL('login', page.url).href, fields)).text
    }
    service.advance(6 * 24 * 60 * MINUTE)
    assert.match(await overview(), /ada set up this installation/)
    service.advance(24 * 60 * MINUTE + MINUTE)
    const text = await overview()
    assert.match(text, /<h1[^>]*>Overview/)
    assert.doesNotMatch(text, /set up this installation/)
  })

  test('previews, forged forms and forms with mistakes use nothing up', async () => {
    const { url } = await linkOf(service)
    for (const method of ['GET', 'HEAD', 'GET']) {
      assert.equal((await fetch(url, { method, headers: { 'x-forwarded-for': address } })).status, 200)
    }
    const browser = browserAt()
    const page = await browser.open(url)
    const csrf = csrfIn(page)
    for (const forged of ['', 'x', `${csrf}x`]) {
      assert.equal((await browser.post(url, { ...FORM, csrf: forged })).status, 403)
    }
    const elsewhere = { 'sec-fetch-site': 'cross-site' }
    assert.equal((await browser.post(url, { ...FORM, csrf }, elsewhere)).status, 403)
    assert.equal((await browserAt().post(url, { ...FORM, csrf })).status, 403)
    const wrong = [
      [{ again: 'another' }, /The two passwords differ\./],
      [{ password: 'short', again: 'short' }, /The password is too short: use at least 8 characters\./],
      [{ username: 'Ada' }, /A username has 2 to 28 characters/],
      [{ username: 'operator' }, /The username &quot;operator&quot; is reserved/],
      [{ name: '\u202e', email: 'nowhere' }, /A display name has[\s\S]*e-mail address/],
    ] as const
    for (const [fields, message] of wrong) {
      const again = await browser.post(url, { ...FORM, ...fields, csrf })
      assert.equal(again.status, 422)
      assert.match(again.text, message)
      assert.match(again.text, /<title>Error: /)
      assert.doesNotMatch(again.text, /correct horse/)
    }
    assert.match((await browser.post(url, { ...FORM, again: 'x', csrf })).text, /value="Ada Lovelace"/)
    assert.deepEqual([await rowsOf('account'), await rowsOf('setup_link')], [0, 1])
    assert.equal((await browser.post(url, { ...FORM, csrf })).url, `${service.baseUrl}/console/overview`)
  })

  test('of browsers that use it at once, one wins and the others read why', async () => {
    const { url } = await linkOf(service)
    const browsers = Array.from({ length: 6 }, () => browserAt())
    const pages = await Promise.all(browsers.map((browser) => browser.open(url)))
    const ends = await Promise.all(
      browsers.map((browser, at) =>
        browser.post(url, { ...FORM, username: `ada-${at}`, csrf: csrfIn(pages[at] ?? assert.fail()) }),
      ),
    )
    const lost = ends.filter(({ status }) => status !== 200)
    assert.equal(lost.length, 5)
    for (const { status, title, text } of lost) {
      assert.deepEqual([status, title], [404, DOES_NOT_WORK])
      assert.match(text, /This installation is already set up/)
    }
    const rows = [await rowsOf('account'), await rowsOf('role_grant'), await rowsOf('setup_link')]
    assert.deepEqual(rows, [1, 1, 0])
    assert.equal((await browserAt().open(url)).status, 404, 'it works once')
  })

  test('an old, replaced or invented link does not work', async () => {
    const earlier = await linkOf(service)
    const { url } = await linkOf(service)
    const replaced = await browserAt().open(earlier.url)
    assert.deepEqual([replaced.status, replaced.title], [404, DOES_NOT_WORK])
    assert.match(replaced.text, /replaced by a newer one[\s\S]*<code>ratafia setup-link<\/code>/)
    const base = url.slice(0, -43)
    for (const secret of ['x', 'A'.repeat(43), `${url.slice(-43)}A`, '%00', 'A'.repeat(10_000)]) {
      assert.equal((await browserAt().open(`${base}${secret}`)).status, 404, secret.slice(0, 50))
    }
    const browser = browserAt()
    const page = await browser.open(url)
    assert.equal(page.status, 200)
    service.advance(30 * MINUTE)
    const late = await browser.post(url, { ...FORM, csrf: csrfIn(page) })
    assert.deepEqual([late.status, late.title, (await browser.open(url)).status], [404, DOES_NOT_WORK, 404])
    assert.equal(await rowsOf('account'), 0)
  })

  test('wrong links count as failed sign-ins', async () => {
    const { url } = await linkOf(service)
    const wrong = `${url.slice(0, -43)}${'A'.repeat(43)}`
    for (let at = 0; at < 30; at++) assert.equal((await browserAt().open(wrong)).status, 404)
    const refused = await browserAt().open(wrong)
    assert.deepEqual([refused.status, refused.title], [429, 'Too many attempts'])
    assert.equal((await browserAt().open(url)).status, 429)
    const signIn = browserAt()
    const page = await signIn.open(`${service.baseUrl}/identity/account`)
    const login = { ...page.forms[0]?.fields, username: 'ada', password: 'x' }
    const both = await signIn.post(`${service.baseUrl}/identity/login`, login)
    assert.equal(both.status, 429, 'sign-ins are in the same count')
    assert.equal((await browserAt('198.51.100.7').open(url)).status, 200, 'strangers cannot block the link')
  })

  test('does not work once there is an account, or was one', async () => {
    const browser = browserAt()
    for (const rest of ['enabled', 'removed']) {
      const { url } = await linkOf(service)
      const page = await browser.open(url)
      await addPerson(service, `person-${rest}`)
      const { query } = service.installation.database
      if (rest === 'removed')
        await query.updateTable('account').set({ removed_at: 1, disabled_at: 1 }).execute()
      for (const refused of [
        await browser.post(url, { ...FORM, csrf: csrfIn(page) }),
        await browser.open(url),
      ]) {
        assert.deepEqual([refused.status, refused.title], [404, DOES_NOT_WORK])
        assert.match(refused.text, /already set up/)
      }
      assert.equal(await rowsOf('setup_link'), 0, 'the account has ended the link')
      await assert.rejects(linkOf(service), {
        code: 'state-conflict',
        message: /^There is an account already/,
      })
      await query.deleteFrom('account').execute()
    }
  })

  describe('what happens while the password is hashed, which is slow', () => {
    const accountBeside = async (url: string) => {
      await addPerson(service)
      await replaceBy(url)
    }
    for (const [what, meanwhile, someoneExists] of [
      ['the link expires', async () => service.advance(30 * MINUTE), false],
      ['another link is made', () => linkOf(service), false],
      ['an account is added, which leaves the link, as in an earlier release', accountBeside, true],
    ] as const) {
      test(`Guarantee: creates nothing if ${what}`, async () => {
        const { url } = await linkOf(service)
        const { passwords } = service.installation
        const hash: typeof passwords.hash = async (password) => {
          await meanwhile(url)
          return passwords.hash(password)
        }
        const used = await setUp(inputOf(url), { ...deps(), passwords: { ...passwords, hash } })
        assert.deepEqual(used, { verdict: 'wrong', someoneExists })
        assert.deepEqual([await rowsOf('role_grant'), await rowsOf('sign_in_session')], [0, 0])
      })
    }
  })

  test('does not work if an account left the link in place, as a restored backup does', async () => {
    const { url } = await linkOf(service)
    await addPerson(service)
    await replaceBy(url)
    assert.equal((await browserAt().open(url)).status, 404)
  })

  /** Stores the link of this address again. */
  const replaceBy = async (url: string) => {
    const { clock, setupLinks } = service.installation
    const secretHash = setupHash(url.slice(-43)) ?? assert.fail()
    const createdAt = clock()
    const expiresAt = new Date(createdAt.getTime() + MINUTE)
    await setupLinks.replace({ secretHash, createdAt, expiresAt })
  }
  const inputOf = (url: string): SetUpInput => ({
    ...{ ...ADA, password: PASSWORD, secret: url.slice(-43), address: '192.0.2.1', userAgent: undefined },
  })
  const deps = (): Parameters<typeof setUp>[1] => {
    const { installation } = service
    const throttle = createThrottle({ clock: installation.clock, counters: localCounters(installation) })
    return { ...installation, throttle, tally: UNCOUNTED }
  }

  describe('an account that another process adds at the same moment', () => {
    const bob = {
      username: 'bob',
      email: 'bob@example.org',
      name: 'Bob',
      password: PASSWORD,
      authority: HOST,
    }
    /** Runs a change whose stores wait at one of their calls: returns when it is there, and a function that lets it continue. */
    const pausing = (t: TestContext) => {
      const [there, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      // A test that fails must not leave the transaction open.
      t.after(() => goOn.resolve())
      const { installation } = service
      const pause = async <T>(result: T): Promise<T> => {
        there.resolve()
        await goOn.promise
        return result
      }
      const changeBy: typeof installation.changeBy = (author) => (work) =>
        installation.changeBy(author)((on) => {
          const insert: InChange['accounts']['insert'] = async (account) =>
            pause(await on.accounts.insert(account))
          return work({ ...on, accounts: { ...on.accounts, insert } })
        })
      return { changeBy, there: there.promise, goOn: goOn.resolve }
    }
    /** Waits until all of these wait for a transaction, or one has ended. SQLite has one transaction at a time. */
    const untilWaiting = async (...working: readonly Promise<unknown>[]) => {
      if (kind === 'sqlite') return
      const waits = sql`select 1 from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and wait_event in ('transactionid', 'tuple')`
      const { query } = service.installation.database
      let ended = false
      const end = () => {
        ended = true
      }
      for (const work of working) work.then(end, end)
      await eventually(
        'they wait',
        async () => ended || (await waits.execute(query)).rows.length === working.length,
      )
    }

    test('Guarantee: comes first, and the link that waits for it does not work any more', async (t) => {
      const { url } = await linkOf(service)
      const { changeBy, there, goOn } = pausing(t)
      const adding = addAccount(bob, { ...service.installation, changeBy })
      await there
      const using = setUp(inputOf(url), deps())
      await untilWaiting(using)
      goOn()
      await adding
      assert.deepEqual(await using, { verdict: 'wrong', someoneExists: true })
      assert.deepEqual([await rowsOf('account'), await rowsOf('role_grant')], [1, 0])
    })

    test('Guarantee: waits for the link that is being used, and gets no role from it', async (t) => {
      const { url } = await linkOf(service)
      const { changeBy, there, goOn } = pausing(t)
      const using = setUp(inputOf(url), { ...deps(), changeBy })
      await there
      const adding = addAccount(bob, service.installation)
      const making = linkOf(service).catch((error: Error) => error.message)
      await untilWaiting(adding, making)
      goOn()
      assert.equal((await using).verdict, 'right')
      await adding
      assert.match(String(await making), /^There is an account already/)
      const held = await service.installation.grants.list({}, { limit: 10 })
      assert.deepEqual([await rowsOf('account'), held.map(({ username }) => username)], [2, ['ada']])
      assert.equal(await rowsOf('setup_link'), 0)
    })
  })

  test('warns over plain HTTP from another machine, but not on the host', async () => {
    const { url } = await linkOf(service)
    assert.match((await browserAt().open(url)).text, /plain HTTP/)
    assert.doesNotMatch((await browserAt('127.0.0.1').open(url)).text, /plain HTTP/)
  })
})

oneDatabase((_kind, _open, fresh) => {
  const observed = observedServices(fresh)

  test('Guarantee: the log has no secret of a link, however the link is opened', async () => {
    const service = await observed({ RATAFIA_LOG_LEVEL: 'trace', RATAFIA_TRUSTED_PROXIES: '127.0.0.1' })
    const { secret, url } = await linkOf(service)
    const browser = new Browser()
    const page = await browser.open(url)
    await browser.post(url, { ...FORM, again: 'x', csrf: csrfIn(page) })
    for (const [path, method] of [
      [`/setup/${secret}`, 'DELETE'],
      ...[
        `/setup/${secret}/`,
        `//setup/${secret}`,
        `/setup/${secret}?x=${secret}`,
        `/setup?secret=${secret}`,
      ].map((path) => [path, 'GET'] as const),
    ] as const) {
      await fetch(`${service.baseUrl}${path}`, { method, headers: { referer: url } })
    }
    await browser.post(url, { ...FORM, csrf: csrfIn(page) })
    assert.equal((await browser.open(url)).status, 404)
    const { query } = service.installation.database
    const stored = JSON.stringify(await query.selectFrom('audit_entry').selectAll().execute())
    await service.close()
    const log = service.log()
    assert.match(log, /"route":"\/setup\/:secret"/)
    for (const text of [log, stored]) {
      for (const part of [secret, secret.slice(10), PASSWORD]) assert.ok(!text.includes(part), text)
    }
  })

  test('has the address, cookies and redirects of a base URL with https and a path', async () => {
    const service = await observed({
      RATAFIA_BASE_URL: 'https://store.example.com/auth',
      RATAFIA_TRUSTED_PROXIES: '127.0.0.1',
    })
    const { query } = service.installation.database
    for (const table of EMPTIED) await sql`delete from ${sql.table(table)}`.execute(query)
    const { secret } = await linkOf(service)
    const url = `${service.baseUrl}/auth/setup/${secret}`
    const shown = await fetch(url)
    const [cookie = ''] = shown.headers.getSetCookie()
    assert.match(cookie, /^__Secure-ratafia-form=[\w-]+; Path=\/auth\/setup; HttpOnly; Secure; SameSite=Lax$/)
    const csrf = /name="csrf" value="([^"]*)"/.exec(await shown.text())?.[1] ?? ''
    const sent = await fetch(url, {
      ...{ method: 'POST', redirect: 'manual' },
      headers: { cookie: cookie.split(';')[0] ?? '' },
      body: new URLSearchParams({ ...FORM, csrf }),
    })
    assert.deepEqual([sent.status, sent.headers.get('location')], [303, '/auth/console/sign-in'])
    assert.equal(sent.headers.get('referrer-policy'), 'no-referrer')
    assert.match(
      sent.headers.getSetCookie().join(),
      /^__Secure-ratafia-sign-in=[\w-]{43}; Max-Age=43200; Path=\/auth\/identity; HttpOnly; Secure; SameSite=Lax$/,
    )
  })

  for (const [why, environment] of [
    ['RATAFIA_SETUP=off', { RATAFIA_SETUP: 'off' }],
    ['RATAFIA_CONSOLE=off', { RATAFIA_CONSOLE: 'off' }],
    ['RATAFIA_MANAGEMENT=off', { RATAFIA_MANAGEMENT: 'off' }],
    ['networks that do not include the browser', { RATAFIA_MANAGEMENT_FROM: '192.0.2.0/24' }],
    ['an external identity service', { RATAFIA_IDENTITY_URL: 'https://id.example.com' }],
  ] as const) {
    test(`with ${why}, there is no page`, async () => {
      const service = await observed({ ...environment })
      const { query } = service.installation.database
      for (const table of EMPTIED) await sql`delete from ${sql.table(table)}`.execute(query)
      const { url } = await linkOf(service)
      for (const method of ['GET', 'POST']) assert.equal((await fetch(url, { method })).status, 404)
    })
  }
})
