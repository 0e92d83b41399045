/** The second factor over HTTP, on every database: enrolment, signing in with a code, recovery codes. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { afterEach, before, beforeEach, describe, test } from 'node:test'
import type { Account } from '../../src/accounts/account.ts'
import type { NewSecondFactor } from '../../src/accounts/second-factor/second-factor.ts'
import { codeAt } from '../../src/accounts/second-factor/totp.ts'
import { useCode } from '../../src/accounts/second-factor/use-code.ts'
import { UNCOUNTED } from '../../src/counting/tally.ts'
import type { Database } from '../../src/database/index.ts'
import { type CheckDeps, checkCredentials } from '../../src/identity/logins/check-credentials.ts'
import { createThrottle } from '../../src/identity/logins/throttle.ts'
import { createSealer } from '../../src/keyring/sealing.ts'
import { localCounters } from '../../src/limits/counters.ts'
import { addAccount, addUser, enableSecondFactor, PASSWORD, setPassword } from '../support/accounts.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  Browser,
  caveatFor,
  type IdentityWorld,
  identityWorld,
  type Page,
  postDischarge,
  type RunningIdentity,
  startIdentity,
} from '../support/identity.ts'
import { storesOf } from '../support/stores.ts'

const CONDITION = 'need-declared userid is-authenticated-userid'

eachDatabase((_kind, open) => {
  let database: Database
  let otherNode: Database
  let world: IdentityWorld
  let identity: RunningIdentity
  before(async () => {
    database = await open()
    otherNode = await open()
    world = await identityWorld(database)
  })
  // This service has its own counters.
  beforeEach(async () => {
    identity = await startIdentity(world)
    // The next time step, so that the codes differ from those of the last test.
    world.clock.advance(120_000)
  })
  afterEach(() => identity.app.close())

  const addPerson = () => addUser(world)
  const protect = (account: Account): Promise<NewSecondFactor> =>
    enableSecondFactor({ account: account.id, issuer: 'id.example.org', instead: false }, world)
  const codeOf = (secret: string, steps = 0): string =>
    codeAt(bytesOf(secret), new Date(world.clock().getTime() + steps * 30_000))
  /** Returns the actions in the audit log of an account, oldest first. */
  const actionsOf = async ({ username }: Account) =>
    (await world.audit.list({ subject: username }, { limit: 100 })).map(({ action }) => action).reverse()
  const account = (browser: Browser) => browser.open(`${identity.location}/account`)
  const signIn = async (browser: Browser, username: string): Promise<Page> =>
    browser.submit(await account(browser), 'login', { username, password: PASSWORD })
  const problemOf = ({ text }: Page) => /role="alert"[^>]*>([^<]*)</.exec(text)?.[1]

  describe('signing in with a second factor', () => {
    test('asks for a code only after the right password, and then continues the login', async () => {
      const ann = await addPerson()
      const { secret } = await protect(ann)
      const { body } = await postDischarge(identity.location, await caveatFor(world.keyring, CONDITION))
      const browser = new Browser()
      const start = await browser.open(body.Info.InteractionMethods['browser-window'].VisitURL)
      const wrong = await browser.submit(start, 'login', {
        username: ann.username,
        password: 'wrong password',
      })
      assert.equal(problemOf(wrong), 'The username, e-mail address or password is wrong.')
      const asked = await browser.submit(start, 'login', { username: ann.username, password: PASSWORD })
      assert.deepEqual([asked.status, asked.title], [200, 'Enter a code'])
      assert.doesNotMatch(asked.text, new RegExp(PASSWORD))
      assert.equal(browser.cookies.has('ratafia-sign-in'), false)
      const done = await browser.submit(asked, 'second-factor', { code: codeOf(secret) })
      assert.equal(done.title, 'Approve this login?')
      assert.deepEqual(await actionsOf(ann), ['account.add', 'second-factor.enable', 'account.sign-in'])
    })

    test('accepts the e-mail address of an account instead of its username, in any case', async () => {
      const ann = await addPerson()
      const page = await signIn(new Browser(), ` ${ann.email.toUpperCase()} `)
      assert.equal(page.title, 'Your account')
    })

    const TYPED: Readonly<Record<string, (code: string) => string>> = {
      'a space': (code) => code.replace(/^.../, '$& '),
      'a dash': (code) => code.replace(/^.../, '$&-'),
      'a long dash and no-break spaces': (code) => code.replace(/^.../, '$&\u00a0–\u00a0'),
      'full-width digits': (code) =>
        code.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    }
    for (const [what, typed] of Object.entries(TYPED)) {
      test(`accepts a code and a recovery code with ${what}`, async () => {
        const ann = await addPerson()
        const { secret, recoveryCodes } = await protect(ann)
        for (const code of [codeOf(secret), recoveryCodes[0] ?? assert.fail()]) {
          const browser = new Browser()
          const asked = await signIn(browser, ann.username)
          assert.equal(
            (await browser.submit(asked, 'second-factor', { code: typed(code) })).title,
            'Your account',
          )
        }
      })
    }

    test('accepts codes of the previous and the next step', async () => {
      for (const steps of [-1, 0, 1]) {
        const ann = await addPerson()
        const { secret } = await protect(ann)
        const browser = new Browser()
        const code = codeOf(secret, steps)
        const page = await browser.submit(await signIn(browser, ann.username), 'second-factor', { code })
        assert.equal(page.title, 'Your account', String(steps))
      }
      const ann = await addPerson()
      const { secret } = await protect(ann)
      const browser = new Browser()
      const asked = await signIn(browser, ann.username)
      for (const steps of [-2, 2]) {
        const page = await browser.submit(asked, 'second-factor', { code: codeOf(secret, steps) })
        assert.deepEqual([page.status, page.title], [403, 'Enter a code'])
        assert.match(problemOf(page) ?? '', /^The code is wrong, or was used before\./)
      }
    })

    test('accepts a code once, so a second sign-in needs another one', async () => {
      const ann = await addPerson()
      const { secret } = await protect(ann)
      const code = codeOf(secret)
      const enter = async () => {
        const browser = new Browser()
        return (await browser.submit(await signIn(browser, ann.username), 'second-factor', { code })).title
      }
      assert.deepEqual([await enter(), await enter()], ['Your account', 'Enter a code'])
    })

    test('refuses a code of an earlier step after a later one was used', async () => {
      const ann = await addPerson()
      const { secret } = await protect(ann)
      const enter = async (steps: number) => {
        const browser = new Browser()
        const code = codeOf(secret, steps)
        return (await browser.submit(await signIn(browser, ann.username), 'second-factor', { code })).title
      }
      assert.equal(await enter(0), 'Your account')
      assert.equal(await enter(-1), 'Enter a code')
      assert.equal(await enter(1), 'Your account')
      assert.equal(await enter(-1), 'Enter a code')
    })

    /** Sends a code twenty times at once to two nodes, and returns how many of them accepted it. */
    const usesAtOnce = async (ann: Account, code: string) => {
      const node = (on: Database) => storesOf(on, { clock: world.clock, sealer: world.sealer })
      const nodes = [node(database), node(otherNode)]
      const uses = Array.from({ length: 20 }, (_, index) =>
        useCode({ account: ann, code }, nodes[index % 2] ?? assert.fail()),
      )
      return (await Promise.all(uses)).filter(Boolean).length
    }

    test('a code that twenty requests send at once to two nodes signs one of them in', async () => {
      const ann = await addPerson()
      assert.equal(await usesAtOnce(ann, codeOf((await protect(ann)).secret)), 1)
    })

    test('a recovery code that twenty requests send at once to two nodes is used once, and nine are left', async () => {
      const ann = await addPerson()
      const [code = ''] = (await protect(ann)).recoveryCodes
      assert.equal(await usesAtOnce(ann, code), 1)
      assert.equal(await world.secondFactors.recoveryCodesLeft(ann.id), 9)
    })

    test('a recovery code replaces a code once, and the audit log records it', async () => {
      const ann = await addPerson()
      const { recoveryCodes } = await protect(ann)
      const [code = ''] = recoveryCodes
      const browser = new Browser()
      const asked = await signIn(browser, ann.username)
      const typed = code.toLowerCase().replaceAll('-', ' ')
      const page = await browser.submit(asked, 'second-factor', { code: typed })
      assert.equal(page.title, 'Your account')
      assert.match(page.text, /9 of your recovery\s+codes are left/)
      assert.equal((await new Browser().submit(asked, 'second-factor', { code })).status, 403)
      assert.deepEqual((await actionsOf(ann)).slice(2), [
        'second-factor.use-recovery-code',
        'account.sign-in',
      ])
    })

    test('requires the code within five minutes, and with an unchanged password', async () => {
      const ann = await addPerson()
      const { secret } = await protect(ann)
      const browser = new Browser()
      const late = await signIn(browser, ann.username)
      world.clock.advance(5 * 60_000)
      const refused = await browser.submit(late, 'second-factor', { code: codeOf(secret) })
      assert.deepEqual([refused.status, refused.title], [403, 'Sign in'])
      assert.match(problemOf(refused) ?? '', /^That took too long/)
      const asked = await signIn(browser, ann.username)
      await setPassword({ account: ann.id, password: 'another long password' }, world)
      assert.equal((await browser.submit(asked, 'second-factor', { code: codeOf(secret) })).title, 'Sign in')
    })

    test('slows down guessing codes, and does not count prompts', async () => {
      const ann = await addPerson()
      const { secret } = await protect(ann)
      const browser = new Browser()
      let asked = await signIn(browser, ann.username)
      for (let prompt = 0; prompt < 12; prompt++) asked = await signIn(browser, ann.username)
      for (let guess = 0; guess < 10; guess++) {
        const code = String(guess).padStart(6, '0')
        const page = await browser.submit(asked, 'second-factor', { code })
        assert.equal(page.status, 403, `guess ${guess}`)
      }
      const refused = await browser.submit(asked, 'second-factor', { code: codeOf(secret) })
      assert.deepEqual([refused.status, refused.title], [429, 'Too many attempts'])
      assert.equal(refused.headers.get('retry-after'), '60')
      assert.equal((await signIn(browser, ann.username)).status, 200, 'passwords are counted separately')
      world.clock.advance(60_000)
      const page = await browser.submit(asked, 'second-factor', { code: codeOf(secret) })
      assert.equal(page.title, 'Your account')
    })

    test('revokes a sign-in without a code if a second factor was turned on while the password was checked', async () => {
      const ann = await addPerson()
      const passwords: IdentityWorld['passwords'] = {
        ...world.passwords,
        verify: async (password, stored) => world.passwords.verify(password, stored),
      }
      const given = { name: ann.username, password: PASSWORD, address: '192.0.2.1' }
      const result = await checkCredentials(given, { ...checkDeps(), passwords })
      assert.equal(result.verdict, 'right')
      await protect(ann)
      assert.equal(result.verdict === 'right' && (await result.recheck()), 'wrong')
    })
  })

  const checkDeps = (): CheckDeps => ({
    ...world,
    tally: UNCOUNTED,
    throttle: createThrottle({ clock: world.clock, counters: localCounters(world) }),
  })

  describe('name, password and code in one request, as programs send them', () => {
    test('returns the right verdicts', async () => {
      const ann = await addPerson()
      const { secret, recoveryCodes } = await protect(ann)
      const deps = checkDeps()
      const verdict = async (code?: string, password = PASSWORD, name: string = ann.username) =>
        (await checkCredentials({ name, password, code, address: '192.0.2.1' }, deps)).verdict
      assert.equal(await verdict(), 'code-needed')
      assert.equal(await verdict('000000', 'wrong password'), 'wrong')
      assert.equal(await verdict(codeOf(secret), 'wrong password'), 'wrong')
      assert.equal(await verdict('x'.repeat(100_000)), 'code-wrong')
      assert.equal(await verdict(codeOf(secret)), 'right')
      assert.equal(await verdict(codeOf(secret)), 'code-wrong')
      assert.equal(await verdict(recoveryCodes[3]), 'right')
      assert.equal(await verdict(undefined, PASSWORD, ann.email.toUpperCase()), 'code-needed')
      assert.equal(await verdict(undefined, PASSWORD, 'unknown@example.org'), 'wrong')
    })

    test('every wrong name and password costs one hash, for any account', async () => {
      const ann = await addPerson()
      const bare = `b-${randomBytes(6).toString('hex')}`
      await addAccount({ username: bare, email: `${bare}@example.org`, name: 'Bare' }, world)
      let hashes = 0
      const passwords: IdentityWorld['passwords'] = {
        ...world.passwords,
        verify: (password, stored) => {
          hashes++
          return world.passwords.verify(password, stored)
        },
      }
      const names = [
        ...[ann.username, ann.email, bare, `${bare}@example.org`],
        ...['unknown', 'unknown@example.org', '', '@', 'a@b\0'],
        ...[`${'x'.repeat(300)}@example.org`, '\ud800@example.org'],
      ]
      for (const name of names) {
        for (const password of ['wrong password', '', 'x'.repeat(5000)]) {
          const given = { name, password, code: '123456', address: '192.0.2.1' }
          assert.deepEqual(
            await checkCredentials(given, { ...checkDeps(), passwords }),
            { verdict: 'wrong' },
            name,
          )
        }
      }
      assert.equal(hashes, 3 * names.length)
    })

    test('counts codes by account, for any of its names', async () => {
      const ann = await addPerson()
      const { secret } = await protect(ann)
      const deps = checkDeps()
      const attempt = async (name: string, index: number, code: string) =>
        (await checkCredentials({ name, password: PASSWORD, code, address: `100.${index}.0.1` }, deps))
          .verdict
      for (let index = 0; index < 10; index++) {
        const code = String(index).padStart(6, '0')
        assert.equal(await attempt(index % 2 ? ann.username : ann.email, index, code), 'code-wrong')
      }
      for (const name of [ann.username, ann.email]) {
        assert.equal(await attempt(name, 20, codeOf(secret)), 'throttled', name)
      }
    })

    test('reveals a disabled account only after its password, and before its code', async () => {
      const ann = await addPerson()
      await protect(ann)
      await world.accounts.disable(ann.id, world.clock())
      const verdict = async (password: string) =>
        (await checkCredentials({ name: ann.email, password, address: '192.0.2.1' }, checkDeps())).verdict
      assert.deepEqual([await verdict(PASSWORD), await verdict('wrong password')], ['disabled', 'wrong'])
    })

    test('does not count attempts that could not be checked', async () => {
      const ann = await addPerson()
      const { secret } = await protect(ann)
      const deps = checkDeps()
      const elsewhere = createSealer(Buffer.alloc(32, 9))
      const given = { name: ann.username, password: PASSWORD, code: codeOf(secret), address: '192.0.2.1' }
      for (let index = 0; index < 12; index++) {
        await assert.rejects(checkCredentials(given, { ...deps, sealer: elsewhere }), { name: 'Unavailable' })
      }
      assert.equal((await checkCredentials(given, deps)).verdict, 'right')
    })
  })

  describe('managing a second factor', () => {
    /** Signs in, and opens the page that shows the secret. */
    const enrolling = async (ann: Account) => {
      const browser = new Browser()
      await signIn(browser, ann.username)
      const start = await browser.open(`${identity.location}/enrol`)
      const page = await browser.submit(start, 'enrol', { password: PASSWORD })
      const secret = /<code>([A-Z2-7 ]+)<\/code>/.exec(page.text)?.[1]?.replaceAll(' ', '') ?? assert.fail()
      return { browser, page, secret }
    }
    const codesOn = ({ text }: Page) =>
      [...text.matchAll(/<li><code>([^<]*)<\/code>/g)].map(([, code = '']) => code)

    test('after setup and confirmation, the password alone is not enough', async () => {
      const ann = await addPerson()
      const { browser, page, secret } = await enrolling(ann)
      assert.equal(page.title, 'Set up a second factor')
      assert.match(page.text, /<svg class="qr" role="img" viewBox="0 0 \d+ \d+"/)
      assert.match(page.text, new RegExp(`href="otpauth://totp/[^"]*secret=${secret}`))
      const { searchParams } = new URL(
        /href="(otpauth:[^"]*)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? '',
      )
      assert.equal(searchParams.get('issuer'), new URL(identity.location).host.replace(':', '-'))
      // It is not active before it is confirmed, and the page shows the same secret again.
      assert.equal((await signIn(new Browser(), ann.username)).title, 'Your account')
      assert.ok((await browser.open(page.url)).text.includes(`secret=${secret}`))

      const wrong = await browser.submit(page, 'confirm-second-factor', { code: '000000' })
      assert.deepEqual([wrong.status, wrong.title], [403, 'Set up a second factor'])
      const done = await browser.submit(page, 'confirm-second-factor', { code: codeOf(secret) })
      assert.equal(done.title, 'Your recovery codes')
      assert.equal(new Set(codesOn(done)).size, 10)
      assert.equal(done.headers.get('cache-control'), 'no-store')

      assert.match((await account(browser)).text, /10 of your recovery\s+codes are left/)
      const asked = await signIn(new Browser(), ann.username)
      assert.equal(asked.title, 'Enter a code')
      const again = { code: codeOf(secret) }
      assert.equal(
        (await new Browser().submit(asked, 'second-factor', again)).status,
        403,
        'it confirmed the secret',
      )
      assert.deepEqual(
        (await actionsOf(ann)).filter((action) => action.startsWith('second-factor')),
        ['second-factor.start', 'second-factor.enable'],
      )
    })

    test('shows the secret for half an hour, and only after the password', async () => {
      const ann = await addPerson()
      const { browser, page, secret } = await enrolling(ann)
      world.clock.advance(30 * 60_000)
      const start = await browser.open(page.url)
      assert.doesNotMatch(start.text, /otpauth:/)
      const late = await browser.submit(page, 'confirm-second-factor', { code: codeOf(secret) })
      assert.equal(late.status, 400)
      const wrong = await browser.submit(start, 'enrol', { password: 'wrong password' })
      assert.deepEqual([wrong.status, problemOf(wrong)], [403, 'The password is wrong.'])
      assert.doesNotMatch(wrong.text, /otpauth:/)
    })

    test('two simultaneous confirmations create one set of recovery codes', async () => {
      const ann = await addPerson()
      const { browser, page, secret } = await enrolling(ann)
      const pages = await Promise.all(
        [0, 1].map((steps) => browser.submit(page, 'confirm-second-factor', { code: codeOf(secret, steps) })),
      )
      const [shown, ...more] = pages.filter((one) => codesOn(one).length > 0)
      assert.deepEqual([shown?.status, shown && codesOn(shown).length, more.length], [200, 10, 0])
      const other = pages.find((one) => one !== shown)
      // The loser finds nothing to confirm, or an earlier step; it may also find the second factor active already.
      assert.ok(
        other?.status === 400 || other?.status === 403 || other?.url === `${identity.location}/account`,
        `${other?.status} ${other?.url}`,
      )
      assert.equal(await world.secondFactors.recoveryCodesLeft(ann.id), 10)
    })

    test('new recovery codes, and turning it off, require a code or the password', async () => {
      const ann = await addPerson()
      const { browser, page, secret } = await enrolling(ann)
      const [old = ''] = codesOn(
        await browser.submit(page, 'confirm-second-factor', { code: codeOf(secret) }),
      )
      const manage = await browser.open(`${identity.location}/manage-second-factor`)
      const does = (what: string, proof: string) =>
        browser.submit(manage, 'manage-second-factor', { do: what, proof })
      for (const what of ['new-codes', 'disable']) {
        const refused = await does(what, '000000')
        assert.deepEqual([refused.status, refused.title], [403, 'Your second factor'])
      }
      assert.equal((await does('something else', PASSWORD)).status, 400)
      const renewed = codesOn(await does('new-codes', PASSWORD))
      assert.equal(renewed.length, 10)
      assert.equal((await does('disable', old)).status, 403, 'the earlier codes are invalid')
      assert.equal((await does('disable', renewed[0] ?? '')).title, 'Your account')
      assert.equal((await signIn(new Browser(), ann.username)).title, 'Your account')
      assert.deepEqual(await world.secondFactors.of(ann.id), [])
      assert.deepEqual(
        (await actionsOf(ann)).filter((action) => action.startsWith('second-factor')).slice(2),
        ['second-factor.new-recovery-codes', 'second-factor.use-recovery-code', 'second-factor.disable'],
      )
    })

    test('counts wrong codes there and at the sign-in together', async () => {
      const ann = await addPerson()
      const { browser, page, secret } = await enrolling(ann)
      await browser.submit(page, 'confirm-second-factor', { code: codeOf(secret) })
      const manage = await browser.open(`${identity.location}/manage-second-factor`)
      const attempt = (proof: string) =>
        browser.submit(manage, 'manage-second-factor', { do: 'new-codes', proof })
      const statuses = []
      while (statuses.at(-1) !== 429 && statuses.length < 40) {
        statuses.push((await attempt(`${100 + statuses.length}-000`)).status)
      }
      assert.deepEqual(new Set(statuses), new Set([403, 429]))
      const asked = await signIn(new Browser(), ann.username)
      assert.equal(asked.title, 'Enter a code', 'passwords are counted separately')
      const elsewhere = new Browser()
      const code = await elsewhere.submit(await signIn(elsewhere, ann.username), 'second-factor', {
        code: codeOf(secret, 1),
      })
      assert.equal(code.status, 429)
      assert.equal((await attempt(PASSWORD)).status, 200)
    })

    test('refuses all of it without a session or a CSRF token, and from another site', async () => {
      const ann = await addPerson()
      const { browser, page } = await enrolling(ann)
      const paths = [
        ...['enrol', 'confirm-second-factor', 'manage-second-factor', 'change-password'],
        ...['second-factor', 'reset'],
      ]
      for (const path of paths) {
        const url = `${identity.location}/${path}`
        assert.equal((await browser.post(url, { password: PASSWORD })).status, 403, path)
        const fields = { ...page.forms[0]?.fields }
        const elsewhere = await browser.post(url, fields, { 'sec-fetch-site': 'cross-site' })
        assert.equal(elsewhere.status, 403, path)
      }
      for (const path of ['enrol', 'change-password', 'manage-second-factor']) {
        assert.equal((await new Browser().open(`${identity.location}/${path}`)).title, 'Sign in', path)
      }
      browser.cookies.delete('ratafia-sign-in')
      assert.equal((await browser.submit(page, 'confirm-second-factor', { code: '123456' })).title, 'Sign in')
    })

    test('signing out revokes the session', async () => {
      const ann = await addPerson()
      const browser = new Browser()
      const page = await signIn(browser, ann.username)
      assert.equal((await browser.submit(page, 'logout')).title, 'Sign in')
    })
  })

  test('no secret, code or link is readable in the database', async () => {
    const ann = await addPerson()
    const { secret, recoveryCodes } = await protect(ann)
    const rows = JSON.stringify([
      await database.query.selectFrom('second_factor').selectAll().execute(),
      await database.query.selectFrom('recovery_code').selectAll().execute(),
      await database.query.selectFrom('audit_entry').selectAll().execute(),
    ])
    for (const text of [
      secret,
      bytesOf(secret).toString('hex'),
      bytesOf(secret).toString('base64'),
      ...recoveryCodes,
    ]) {
      assert.ok(!rows.includes(text))
    }
    const [factor] = await world.secondFactors.of(ann.id)
    assert.ok(factor && !Buffer.from(factor.sealed).includes(bytesOf(secret)))
  })

  test('removes used steps after a while', async () => {
    const ann = await addPerson()
    assert.equal(await world.secondFactors.useStep(ann.id, 1, new Date(1_000)), true)
    assert.equal(await world.secondFactors.useStep(ann.id, 2, new Date(2_000)), true)
    assert.equal(await world.secondFactors.removeUsedSteps(new Date(2_000), 10), 1)
    assert.equal(await world.secondFactors.removeUsedSteps(new Date(2_000), 10), 0)
    assert.equal(await world.secondFactors.removeUsedSteps(new Date(2_001), 10), 1)
    assert.equal(await world.secondFactors.useStep(ann.id, 1, new Date(3_000)), true)
    assert.equal(await world.secondFactors.useStep(ann.id, 1, new Date(3_000)), false)
  })
})

function bytesOf(base32: string): Buffer {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  const bits = [...base32].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
