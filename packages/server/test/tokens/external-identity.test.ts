/** Tokens of people at an external identity service, which this test replaces by its key pair. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import {
  addFirstPartyCaveat,
  decodeBase64,
  decodeBinary,
  decodeJson,
  encodeBase64,
  encodeBase64Url,
  encodeBinary,
  type Macaroon,
} from '@ratafia/macaroon'
import {
  decodeBakeryMacaroon,
  decodeCaveatId,
  discharge,
  dischargeAll,
  generateKeyPair,
} from '@ratafia/macaroon/bakery'
import { addAccount, disableAccount, enableAccount, linkIdentity } from '../support/accounts.ts'
import { eachDatabase, oneDatabase } from '../support/databases.ts'
import {
  answer,
  Browser,
  bakeryMacaroonOf,
  type IdentityWorld,
  identityWorld,
  postDischarge,
  type RunningIdentity,
  startIdentity,
} from '../support/identity.ts'
import { addManager, manage } from '../support/managers.ts'
import {
  addPerson,
  bearing,
  call,
  dischargeFor,
  exchangeSlice,
  getRoot,
  logIn,
  presenting,
  refusalOf,
  testService,
  whoami,
} from '../support/service.ts'

const keyPair = generateKeyPair()
// It listens before the suites are declared, because their configuration contains its URL.
const discharger = createServer((request, response) => {
  response.setHeader('content-type', 'application/json')
  if (request.url !== '/candid/discharge/info') response.statusCode = 404
  response.end(JSON.stringify({ PublicKey: encodeBase64(keyPair.publicKey), Version: 3 }))
})
await new Promise<void>((resolve) => discharger.listen(0, '127.0.0.1', resolve))
after(() => discharger.close())
const location = `http://127.0.0.1:${(discharger.address() as AddressInfo).port}/candid`

const vouchFor = async (root: string, conditions: readonly string[]) =>
  dischargeAll(decodeBakeryMacaroon(JSON.parse(root)), ({ id }) =>
    discharge({ id, keyPairs: [keyPair], check: () => conditions }),
  )

const textsOf = (macaroon: Macaroon | undefined) =>
  (macaroon?.caveats ?? []).map(({ id }) => Buffer.from(id).toString())

eachDatabase((_kind, _open, fresh) => {
  describe('with RATAFIA_ACCOUNTS=auto', () => {
    const service = testService(fresh, { RATAFIA_IDENTITY_URL: `${location}/` })

    test('the caveat has the service’s URL without a trailing slash, and also asks for the username', async () => {
      const caveat = decodeJson(JSON.parse(await getRoot(service, { description: 'not told to others' })))
        .caveats[3]
      assert.equal(caveat?.location, location)
      const { condition } = decodeCaveatId(caveat?.id ?? new Uint8Array(), [keyPair])
      assert.equal(condition, 'need-declared userid,username is-authenticated-userid')
    })

    test('a person gets one account at the first login, even with fifty simultaneous first logins', async () => {
      const subject = `usso:https://login.example.com/+id/${Math.random()}`
      const slices = await Promise.all(
        Array.from({ length: 50 }, async () =>
          vouchFor(await getRoot(service), [`declared userid ${subject}`]),
        ),
      )
      const answers = await Promise.all(
        slices.map((slice) => call(service, 'GET', '/api/v2/tokens/whoami', { headers: presenting(slice) })),
      )
      for (const { status, body } of answers) assert.equal(status, 200, JSON.stringify(body))
      const ids = new Set(answers.map(({ body }) => body.account.id))
      assert.equal(ids.size, 1)
      assert.match([...ids][0], /^[A-Za-z0-9]{32}$/)
    })

    test('an external service cannot log anyone in to an account by declaring its id', async () => {
      const person = await addPerson(service)
      const slice = await vouchFor(await getRoot(service), [`declared userid ${person.id}`])
      const { body } = await call(service, 'GET', '/api/v2/tokens/whoami', { headers: presenting(slice) })
      assert.notEqual(body.account.id, person.id)
    })
  })

  describe('explaining a login', () => {
    const service = testService(fresh, { RATAFIA_IDENTITY_URL: location })

    test('does not create an account for a new person, and shows the account of a known one', async () => {
      const ada = await addManager(service, 'viewer acme')
      const issued = { account: ada.username, issuer: location, subject: 'ada' }
      await linkIdentity(issued, service.installation)
      const asked = await call(service, 'POST', '/api/management/v1/tokens/root', { body: {} })
      const exchanged = await call(service, 'POST', '/api/management/v1/tokens/exchange', {
        headers: presenting(await vouchFor(asked.body.macaroon, ['declared userid ada'])),
        body: {},
      })
      assert.equal(exchanged.status, 200, JSON.stringify(exchanged.body))
      const explain = async (subject: string) => {
        const slice = await vouchFor(await getRoot(service), [`declared userid ${subject}`])
        const token = encodeBase64Url(encodeBinary(...slice))
        const { body } = await manage(service, exchanged.body.macaroon, 'POST', '/me/tokens/explain', {
          body: { token },
        })
        return body
      }
      const count = async () =>
        (await service.installation.database.query.selectFrom('account').selectAll().execute()).length
      const before = await count()
      const { accepted, refusal } = await explain('stranger')
      assert.deepEqual([accepted, refusal.code], [false, 'account-unknown'])
      assert.equal(await count(), before)
      const known = await explain('ada')
      assert.deepEqual([known.accepted, known.username], [true, ada.username])
    })
  })

  describe('the username at an external service only names the new account', () => {
    const service = testService(fresh, { RATAFIA_IDENTITY_URL: location })
    const first = async (conditions: readonly string[]) => {
      const slice = await vouchFor(await getRoot(service), conditions)
      return call(service, 'GET', '/api/v2/tokens/whoami', { headers: presenting(slice) })
    }
    const END = 'time-before 2999-01-01T00:00:00Z'

    for (const [title, subject, named, username, name] of [
      ['a username', 'id1', 'declared username nora', 'nora', 'nora'],
      [
        ...['a name that is not a username', 'id2', 'declared username Nora Smith@corp'],
        ...['nora-smith-corp', 'Nora Smith@corp'],
      ],
      ['the operator’s username', 'id3', 'declared username operator', 'operator-2', 'operator'],
      ['letters that no username has', 'id4', 'declared username 山田', 'id4', 'id4'],
      ['invisible characters', 'id5', 'declared username ro\u200bot', 'ro-ot', 'id5'],
      ['an empty username', 'id6', 'declared username ', 'id6', 'id6'],
    ] as const) {
      test(`names the account if the service declares ${title}: ${JSON.stringify(named)}`, async () => {
        const { body } = await first([`declared userid ${subject}`, named, END])
        assert.deepEqual([body.account.username, body.account.name], [username, name])
      })
    }

    test('a person whose username is taken gets another one, and not that account', async () => {
      const { id, username } = await addPerson(service, 'olga')
      const conditions = ['declared userid id7', `declared username ${username}`, END]
      const { body } = await first(conditions)
      assert.notEqual(body.account.id, id)
      assert.equal(body.account.username, 'olga-2')
      assert.equal((await first(conditions)).body.account.id, body.account.id)
      const renamed = await first(['declared userid id7', 'declared username new-name', END])
      assert.deepEqual(renamed.body.account, body.account)
    })

    test('ignores a username after the service’s time-before', async () => {
      const { body } = await first(['declared userid id8', END, 'declared username late'])
      assert.equal(body.account.username, 'id8')
    })

    test('answers 401 if the holder appends a username, whether or not the service declared one', async () => {
      for (const named of [['declared username pat'], []]) {
        const conditions = ['declared userid id9', ...named, END]
        const slice = await dischargeAll(
          decodeBakeryMacaroon(JSON.parse(await getRoot(service))),
          async ({ id }) => {
            const given = await discharge({ id, keyPairs: [keyPair], check: () => conditions })
            return { ...given, macaroon: addFirstPartyCaveat(given.macaroon, 'declared username admin') }
          },
        )
        const refused = await call(service, 'GET', '/api/v2/tokens/whoami', { headers: presenting(slice) })
        assert.equal(refusalOf(refused).status, 401)
        assert.match(refusalOf(refused).message, /more than one "username"/)
      }
    })
  })

  describe('after the logins of an account were invalidated', () => {
    const service = testService(fresh, { RATAFIA_IDENTITY_URL: location })
    const exchange = (slice: Awaited<ReturnType<typeof vouchFor>>) =>
      call(service, 'POST', '/api/v2/tokens/exchange', { headers: presenting(slice), body: {} })

    test('refuses an earlier root, whatever its discharge contains, and accepts later ones', async () => {
      const conditions = ['declared userid erin@example', 'time-before 2999-01-01T00:00:00Z']
      const token = await exchangeSlice(service, await vouchFor(await getRoot(service), conditions))
      const { body } = await call(service, 'GET', '/api/v2/tokens/whoami', { headers: bearing(token) })
      const { id } = body.account
      const [latent, late] = [await getRoot(service), await getRoot(service)]
      const before = await vouchFor(latent, conditions)
      await disableAccount(id, service.installation)
      const meanwhile = await vouchFor(await getRoot(service), conditions)
      await enableAccount(id, service.installation)
      for (const slice of [before, meanwhile]) {
        assert.match(refusalOf(await exchange(slice)).message, /are no longer valid/)
      }
      const marked = [`declared login ${Date.now() + 60_000} ${Date.now() + 60_000}`, ...conditions]
      for (const claims of [conditions, marked]) {
        assert.match(refusalOf(await exchange(await vouchFor(late, claims))).message, /are no longer valid/)
      }
      // Roots from the next five seconds are refused as well (CLOCK_MARGIN_MS).
      service.advance(5_500)
      assert.equal((await exchange(await vouchFor(await getRoot(service), conditions))).status, 200)
    })
  })

  describe('with RATAFIA_ACCOUNTS=known and usernames', () => {
    const service = testService(fresh, {
      RATAFIA_IDENTITY_URL: location,
      RATAFIA_IDENTITY_PUBLIC_KEY: encodeBase64(keyPair.publicKey),
      RATAFIA_IDENTITY_CONDITION: 'username',
      RATAFIA_ACCOUNTS: 'known',
    })

    test('the condition asks for the username', async () => {
      const caveat = decodeJson(JSON.parse(await getRoot(service))).caveats[3]
      const { condition } = decodeCaveatId(caveat?.id ?? new Uint8Array(), [keyPair])
      assert.equal(condition, 'need-declared username is-authenticated-user')
    })

    test('answers 401 account-unknown to a stranger, and lets a linked person log in', async () => {
      // The ids of the external service are not those of accounts here.
      const conditions = ['declared username carol@candid', 'declared userid candid:42']
      const slice = async () => vouchFor(await getRoot(service), conditions)
      const answer = await call(service, 'POST', '/api/v2/tokens/exchange', {
        headers: presenting(await slice()),
      })
      assert.deepEqual([refusalOf(answer).status, refusalOf(answer).code], [401, 'account-unknown'])

      const carol = await addPerson(service)
      await linkIdentity(
        { account: carol.username, issuer: location, subject: 'carol@candid' },
        service.installation,
      )
      const token = await exchangeSlice(service, await slice())
      const { body } = await call(service, 'GET', '/api/v2/tokens/whoami', {
        headers: { authorization: `Macaroon ${token}` },
      })
      assert.equal(body.account.id, carol.id)
    })
  })

  describe('after another identity service was configured', () => {
    const before = testService(fresh)
    const after = testService(fresh, { RATAFIA_IDENTITY_URL: location })
    const asking = testService(fresh, { RATAFIA_IDENTITY_CONDITION: 'username' })

    test('answers 401 to the exchange of an old root, while an old token stays valid', async () => {
      const person = await addPerson(before)
      const token = await logIn(before, person)
      const slice = await dischargeFor(before, await getRoot(before), person)
      const answer = await call(after, 'POST', '/api/v2/tokens/exchange', { headers: presenting(slice) })
      assert.equal(refusalOf(answer).status, 401)
      assert.match(refusalOf(answer).message, /a different identity service/)
      assert.equal(await whoami(after, token), 200)
    })

    test('answers 401 to a token that declares a different key than the configured one', async () => {
      const token = await logIn(before, await addPerson(before))
      const answer = await call(asking, 'GET', '/api/v2/tokens/whoami', { headers: bearing(token) })
      assert.equal(refusalOf(answer).status, 401)
      assert.match(refusalOf(answer).message, /did not declare username/)
    })
  })

  describe('while the discharger is unavailable', () => {
    const service = testService(fresh, { RATAFIA_IDENTITY_URL: 'http://127.0.0.1:9/identity' })

    test('answers 503 to the request for a root, and everything else works', async () => {
      const answer = await call(service, 'POST', '/api/v2/tokens', { body: {} })
      assert.deepEqual([refusalOf(answer).status, refusalOf(answer).code], [503, 'service-unavailable'])
      assert.equal((await call(service, 'GET', '/api/v2/tokens/whoami')).status, 401)
    })
  })
})

// A separate installation, which has other accounts.
oneDatabase((_kind, open) => {
  let world: IdentityWorld
  let identity: RunningIdentity
  before(async () => {
    world = await identityWorld(await open())
    world.clock.advance(Date.now() - world.clock().getTime())
    identity = await startIdentity(world, {}, '')
  })
  after(() => identity.app.close())

  eachDatabase((kind, _open, fresh) => {
    const service = testService(fresh, {
      get RATAFIA_IDENTITY_URL() {
        return identity.location
      },
    })

    test('a standalone Ratafia declares the username for first logins, which the token does not contain', async () => {
      const username = `quinn-${kind}`
      const fields = { email: `${username}@example.org`, name: 'Quinn', password: 'a long enough password' }
      const quinn = await addAccount({ ...fields, username }, world)
      const slice = await dischargeAll(
        decodeBakeryMacaroon(JSON.parse(await getRoot(service))),
        async ({ id, caveat: payload }) => {
          const { body } = await postDischarge(identity.location, { id, payload })
          const { VisitURL, WaitTokenURL } = body.Info.InteractionMethods['browser-window']
          const browser = new Browser()
          const page = await browser.open(VisitURL)
          const asked = await browser.submit(page, 'login', { username, password: fields.password })
          await browser.submit(asked, 'confirm', { decision: 'approve' })
          const token = (await answer(await fetch(WaitTokenURL))).body
          return bakeryMacaroonOf(await postDischarge(identity.location, { id, payload }, token))
        },
      )
      assert.deepEqual(
        textsOf(slice[1]).map((text) => text.replace(/^time-before .*/, 'time-before')),
        [`declared userid ${quinn.id}`, `declared username ${username}`, 'time-before'],
      )
      const token = await exchangeSlice(service, slice)
      const { body } = await call(service, 'GET', '/api/v2/tokens/whoami', { headers: bearing(token) })
      assert.deepEqual([body.account.username, body.account.name], [username, username])
      assert.notEqual(body.account.id, quinn.id)
      const declared = textsOf(decodeBinary(decodeBase64(token))[0]).filter((text) =>
        text.startsWith('declared'),
      )
      assert.deepEqual(declared, [`declared userid ${quinn.id}`])
    })
  })
})
