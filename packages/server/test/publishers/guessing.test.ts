/** Guarantee: passwords cannot be guessed faster through programs than through browsers, because both share counts. */
import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import type { Account } from '../../src/accounts/account.ts'
import { eachDatabase } from '../support/databases.ts'
import { Browser } from '../support/identity.ts'
import {
  addPublisher,
  caveatIdOf,
  getPasswordRoot,
  loginRefusalOf,
  PASSWORD,
  requestDischarge,
} from '../support/publishers.ts'
import { type Answer, call, testService } from '../support/service.ts'
import { discharging } from '../support/waiting-login.ts'

interface Guess {
  readonly email?: string
  readonly password?: string
  readonly more?: object
}

const PROXY = { RATAFIA_TRUSTED_PROXIES: '127.0.0.1' }

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh, PROXY)
  // Each node counts the attempts that reach it.
  const other = testService(fresh, PROXY)
  let person: Account
  let caveat_id: string
  let visit: string
  before(async () => {
    visit = (await discharging(service.baseUrl)).Info.InteractionMethods['browser-window'].VisitURL
  })
  let networks = 0
  beforeEach(async () => {
    person = await addPublisher(service)
    // A root belongs to the first person who discharges it, so each test needs a new one.
    caveat_id = caveatIdOf(await getPasswordRoot(service))
    networks++
  })

  const from = (host: number, of = networks) => ({
    'x-forwarded-for': `10.${of}.${host >> 8}.${host & 255}`,
    'x-forwarded-proto': 'https',
  })
  const login = (
    { email, password = 'wrong password', more = {} }: Guess,
    headers: Record<string, string>,
    at = service,
  ): Promise<Answer> =>
    call(at, 'POST', '/api/v2/tokens/discharge', {
      headers,
      body: { email: email ?? person.username, password, caveat_id, ...more },
    })
  const inBrowser = async (
    password: string,
    headers: Record<string, string>,
    username: string = person.username,
  ): Promise<number> => {
    const browser = new Browser(headers)
    const fields = { username, password }
    return (await browser.submit(await browser.open(visit), 'login', fields)).status
  }
  const throttled = (answer: Answer) => {
    const { status, code } = loginRefusalOf(answer)
    assert.deepEqual([status, code], [429, 'TOO_MANY_REQUESTS'])
    const seconds = Number(answer.headers.get('retry-after'))
    assert.ok(seconds >= 1 && seconds <= 60, `${seconds}`)
    assert.match(answer.body.message, new RegExp(`in ${seconds} seconds|in a second`))
  }
  const wrong = async (answer: Promise<Answer>) =>
    assert.equal(loginRefusalOf(await answer).code, 'INVALID_CREDENTIALS')

  test('checks ten guesses for an account, from programs and browsers together, and then no password', async () => {
    for (let i = 0; i < 5; i++) {
      await wrong(login({}, from(i)))
      assert.equal(await inBrowser('wrong password', from(i + 256)), 403)
    }
    throttled(await login({ password: PASSWORD }, from(999)))
    assert.equal(await inBrowser(PASSWORD, from(999)), 429)
    service.advance(60_000)
    assert.equal((await login({ password: PASSWORD }, from(999))).status, 200)
  })

  test('a different spelling of the name, a wrong code or a wrong caveat allows no more guesses', async () => {
    for (let i = 0; i < 10; i++) {
      const email = i % 2 === 0 ? person.username.toUpperCase() : ` ${person.username}`
      await wrong(login({ email, more: { otp: '000000' } }, from(i)))
      // No password was checked, so this does not count.
      const malformed = await login({ more: { caveat_id: 'x' } }, from(i))
      assert.equal(loginRefusalOf(malformed).code, 'INVALID_DATA')
    }
    throttled(await login({ password: PASSWORD }, from(999)))
  })

  test('ten guesses for an e-mail address, in any case, lock it everywhere, but not the username', async () => {
    const { email, username } = person
    for (let i = 0; i < 10; i++) {
      const typed = i % 2 === 0 ? email : email.toUpperCase()
      if (i % 3 === 0) assert.equal(await inBrowser('wrong password', from(i), typed), 403)
      else await wrong(login({ email: typed }, from(i)))
    }
    throttled(await login({ email, password: PASSWORD }, from(997)))
    assert.equal(await inBrowser(PASSWORD, from(998), email), 429)
    await wrong(login({ email: username }, from(999)))
    assert.equal(await inBrowser('wrong password', from(1000), username), 403)
    assert.equal((await login({ email: username, password: PASSWORD }, from(1001))).status, 200)
  })

  test('blocks an address after thirty guesses for any names, while others can log in', async () => {
    for (let i = 0; i < 30; i++) await wrong(login({ email: `unknown-${i}` }, from(1)))
    throttled(await login({ password: PASSWORD }, from(1)))
    assert.equal((await login({ password: PASSWORD }, from(1, 200))).status, 200)
  })

  test('does not count successful logins', async () => {
    for (let i = 0; i < 31; i++) assert.equal((await login({ password: PASSWORD }, from(1))).status, 200)
  })

  test('a second node blocks the guesses that reach it', async () => {
    for (const at of [service, other]) {
      for (let i = 0; i < 10; i++) await wrong(login({}, from(i), at))
      throttled(await login({ password: PASSWORD }, from(999), at))
    }
  })

  test('counts simultaneous guesses before the first is checked', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => login({}, from(i))))
    assert.equal(answers.filter(({ status }) => status === 401).length, 10)
    for (const answer of answers.filter(({ status }) => status !== 401)) throttled(answer)
  })

  test('treats impossible names and passwords as wrong ones', async () => {
    for (const [email, password] of [
      [`${person.username}\0`, PASSWORD],
      ['\ud800@example.com', PASSWORD],
      ['__proto__', PASSWORD],
      [person.username, '\ud800'],
      [person.username, `${PASSWORD}\0`],
      [person.username, 'x'.repeat(50_000)],
    ] as const) {
      await wrong(requestDischarge(service, { email, password, caveat_id }))
    }
  })
})
