/**
 * Guarantee: a stranger cannot find out which accounts, agents, devices and other records exist. Whatever a
 * request names, the answer and the number of statements are the same whether or not the record exists.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { MANAGEMENT_PREFIX } from '@ratafia/api/schemas'
import { addFirstPartyCaveat, encodeBase64, mint } from '@ratafia/macaroon'
import { encodeCaveatId, generateKeyPair } from '@ratafia/macaroon/bakery'
import type { Account } from '../../src/accounts/account.ts'
import {
  addAccount,
  addAgent,
  disableAccount,
  enableSecondFactor,
  switchPasswordLogins,
} from '../support/accounts.ts'
import { eachDatabase } from '../support/databases.ts'
import { ACME, registered, withAcme } from '../support/devices.ts'
import { Browser, caveatFor, postDischarge } from '../support/identity.ts'
import { managementToken } from '../support/managers.ts'
import { type ObservedService, observedServices } from '../support/observed.ts'
import { type OtlpReceiver, otlpReceiver } from '../support/otlp-receiver.ts'
import { addPublisher, caveatIdOf, encoded, getPasswordRoot, PASSWORD } from '../support/publishers.ts'
import { addPerson, bearing, logIn } from '../support/service.ts'
import { hearsOfChanges } from '../support/statements.ts'

/** Returns a request that names a record. */
type Naming = (name: string) => Promise<Request> | Request
interface Row {
  readonly what: string
  /** Names of existing records by kind, and of missing ones. */
  readonly names: Readonly<Record<string, string>>
  readonly request: Naming
  /** Whether the body is random; then only its status and cost are compared. */
  readonly isRandom?: true
  /** How many times each is sent beforehand, so that the name is locked. */
  readonly failures?: number
}

/** Takes the cheapest of this many: on a slow machine, a node may query the database once more. */
const TIMES = 3

eachDatabase((_kind, _open, fresh) => {
  let receiver: OtlpReceiver
  before(async () => {
    receiver = await otlpReceiver()
  })
  after(() => receiver.close())
  const observed = observedServices(fresh)

  test('existing and missing records get the same answer, with the same number of statements', async (t) => {
    const service = await observed({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      RATAFIA_METRICS_PORT: '0',
      RATAFIA_TRUSTED_PROXIES: '127.0.0.1',
    })
    await hearsOfChanges(service)
    const rows = await rowsOf(service)
    const sent: { row: Row; kind: string; trace: string; answer: string }[] = []
    for (const row of rows) {
      for (const name of Object.values(row.names)) {
        for (let failure = 0; failure < (row.failures ?? 0); failure++) await answerTo(row, name)
      }
      for (let time = 0; time < TIMES; time++) {
        for (const [kind, name] of Object.entries(row.names)) {
          const trace = newTrace()
          sent.push({ row, kind, trace, answer: await answerTo(row, name, trace) })
        }
      }
    }
    // Closing sends the remaining spans.
    await service.close()
    assert.ok(cheapest(sent.filter(({ row }) => row === rows[0])) > 0, 'statements are counted')
    for (const row of rows) {
      await t.test(row.what, () => {
        const seen = Object.keys(row.names).map((kind) => {
          const mine = sent.filter((one) => one.row === row && one.kind === kind)
          return { kind, answers: [...new Set(mine.map(({ answer }) => answer))], cost: cheapest(mine) }
        })
        const [first] = seen
        for (const { kind, answers, cost } of seen) {
          assert.equal(answers.length, 1, `${kind}: ${answers.join('\n')}`)
          assert.deepEqual({ answers, cost }, { answers: first?.answers, cost: first?.cost }, kind)
        }
      })
    }
  })

  const cheapest = (mine: readonly { readonly trace: string }[]): number =>
    Math.min(
      ...mine.map(
        ({ trace }) =>
          receiver.spans.filter(
            ({ traceId, attributes }) => traceId === trace && attributes['db.system.name'] !== undefined,
          ).length,
      ),
    )

  let hosts = 0
  /** Returns the status, the headers that differ between answers, and the body, with NAME instead of the sent name. */
  async function answerTo({ request, isRandom }: Row, name: string, trace = newTrace()): Promise<string> {
    const made = await request(name)
    const headers = new Headers(made.headers)
    headers.set('traceparent', `00-${trace}-${randomBytes(8).toString('hex')}-01`)
    hosts++
    // Distant networks, so that none of them reaches a limit.
    headers.set('x-forwarded-for', `${11 + (hosts % 80)}.${Math.floor(hosts / 80)}.0.1`)
    headers.set('x-forwarded-proto', 'https')
    const { status, headers: got, body } = await answerOf(new Request(made, { headers }))
    const text = isRandom
      ? ''
      : body
          .replaceAll(encodeURIComponent(encodeURIComponent(name)), 'NAME')
          .replaceAll(encodeURIComponent(name), 'NAME')
          .replaceAll(name, 'NAME')
          .replaceAll(/name="csrf" value="[^"]*"/g, 'CSRF')
          .replaceAll(/\d+ seconds|\d\d:\d\d:\d\d UTC|datetime="[^"]*"/g, 'WHEN')
    const where = got.get('location')?.replaceAll(encodeURIComponent(encodeURIComponent(name)), 'NAME')
    return JSON.stringify([status, where?.replaceAll(name, 'NAME'), got.get('www-authenticate'), text])
  }

  async function answerOf(request: Request) {
    const response = await fetch(request, { redirect: 'manual' })
    return { status: response.status, headers: response.headers, body: await response.text() }
  }
})

const newTrace = () => randomBytes(16).toString('hex')

/** Creates accounts of each kind that a stranger could try. */
async function peopleIn(service: ObservedService) {
  const { installation } = service
  const [known, disabled, off, factor] = await Promise.all(
    ['known', 'disabled', 'off', 'factor'].map((kind) => addPublisher(service, `${kind}-person`)),
  )
  if (!known || !disabled || !off || !factor) assert.fail()
  await disableAccount(disabled.id, installation)
  await switchPasswordLogins({ account: off.id, on: false }, installation)
  await enableSecondFactor({ account: factor.id, issuer: 'x', instead: false }, installation)
  const bare = await addAccount(
    { username: 'bare-person', email: 'bare-person@example.com', name: 'Bare' },
    installation,
  )
  return { known, disabled, off, factor, bare }
}

const namesOf = (
  people: Readonly<Record<string, Account>>,
  field: 'username' | 'email' | 'id',
  unknown: string,
) => ({
  ...Object.fromEntries(Object.entries(people).map(([kind, account]) => [kind, account[field]])),
  unknown,
})

async function rowsOf(service: ObservedService): Promise<readonly Row[]> {
  const { baseUrl } = service
  const people = await peopleIn(service)
  const usernames = namesOf(people, 'username', 'unknown-name')
  const emails = namesOf(people, 'email', 'unknown-name@example.com')
  const ids = namesOf(people, 'id', 'A'.repeat(people.known.id.length))
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    new Request(`${baseUrl}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    })
  const get = (path: string, headers: Record<string, string> = {}) =>
    new Request(`${baseUrl}${path}`, { headers })

  const inBrowser: Naming = async (username) => {
    const browser = new Browser()
    const page = await browser.open(`${baseUrl}/identity/account`)
    const fields = { ...page.forms[0]?.fields, username, password: 'wrong password' }
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
    return new Request(`${baseUrl}/identity/login`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { cookie },
    })
  }
  const caveat_id = caveatIdOf(await getPasswordRoot(service))
  const byProgram =
    (more: object = {}): Naming =>
    (email) =>
      post('/api/v2/tokens/discharge', { email, password: 'wrong password', caveat_id, ...more })
  const strange = await strangersCaveats(service)
  const agents = await agentsIn(service)
  const records = await recordsIn(service, people.known)
  const withoutRole = await managementToken(service, await addPerson(service))
  const token = await logIn(service, await addPerson(service))

  return [
    { what: 'the sign-in page, by username', names: usernames, request: inBrowser },
    { what: 'the sign-in page, by e-mail address', names: emails, request: inBrowser },
    { what: 'a login of a program, by username', names: usernames, request: byProgram() },
    { what: 'a login of a program, by e-mail address', names: emails, request: byProgram() },
    { what: 'a login of a program with a code', names: usernames, request: byProgram({ otp: '000000' }) },
    { what: 'a locked username', names: usernames, request: byProgram(), failures: 10 },
    { what: 'a locked e-mail address', names: emails, request: byProgram(), failures: 10 },
    { what: 'the sign-in page for a locked name', names: emails, request: inBrowser },
    {
      what: 'a caveat sealed by a stranger, with the right password',
      names: usernames,
      request: (email) =>
        post('/api/v2/tokens/discharge', { email, password: PASSWORD, caveat_id: strange.caveatId }),
    },
    ...(['username', 'userid'] as const).flatMap((declare) =>
      ['2000-01-01T00:00:00.000000Z', '2100-01-01T00:00:00.000000Z'].map(
        (since): Row => ({
          what: `a discharge signed by a stranger, about a ${declare}, since ${since}`,
          names: declare === 'username' ? usernames : ids,
          request: (name) =>
            post('/api/v2/tokens/refresh', { discharge_macaroon: strange.discharge(declare, name, since) }),
        }),
      ),
    ),
    {
      what: 'a login of an agent with a different key',
      names: agents.names,
      request: async (name) =>
        get(`/identity/login/agent?${new URLSearchParams({ ...(await agents.asking(name)) })}`),
    },
    ...Object.entries(records).flatMap(([path, names]): Row[] => [
      {
        what: `the management API without a token: ${path}`,
        names,
        request: (name) => get(`${MANAGEMENT_PREFIX}${path.replace('*', encodeURIComponent(name))}`),
      },
      {
        what: `the management API by an account without a role: ${path}`,
        names,
        request: (name) =>
          get(`${MANAGEMENT_PREFIX}${path.replace('*', encodeURIComponent(name))}`, bearing(withoutRole)),
      },
      {
        what: `the console without a session: ${path}`,
        names,
        request: (name) => get(`/console${path.replace('*', encodeURIComponent(name))}`),
      },
    ]),
    {
      what: "the revocation of another account's session",
      names: records['/tokens/*'] ?? {},
      request: (id) => post('/api/v2/tokens/revoke', { 'session-id': id }, bearing(token)),
    },
    {
      what: 'the exchange of an unsigned ID token, by rule',
      names: { known: 'a-rule', unknown: 'no-rule' },
      request: (rule) => post('/api/v2/tokens/oidc', { subject_token: 'a.b.c', rule }),
    },
  ]
}

/** A caveat that anyone can seal to the public key, and the discharges that they can sign for it. */
async function strangersCaveats({ installation, now }: ObservedService) {
  const [ours] = await installation.keyring.dischargerKeyPairs()
  const rootKey = randomBytes(24)
  const sealed = (declare: string) =>
    encodeCaveatId({
      version: 1,
      condition: `is-login-of-session ${JSON.stringify({
        ...{ location: 'store.example.com', declare, session: '11111111-1111-4111-8111-111111111111' },
        ...{ since: 0, until: now().getTime() + 9e9, description: null },
      })}`,
      rootKey,
      thirdPartyPublicKey: ours.publicKey,
      firstParty: generateKeyPair(),
    })
  const ids = { username: sealed('username'), userid: sealed('userid') }
  return {
    caveatId: Buffer.from(ids.userid).toString(),
    discharge: (declare: 'username' | 'userid', value: string, since: string) =>
      encoded(
        [
          `declared ${declare} ${value}`,
          'time-before 2099-01-01T00:00:00.000000Z',
          `time-since ${since}`,
        ].reduce(
          addFirstPartyCaveat,
          mint({ rootKey, id: ids[declare], version: 1, location: 'store.example.com' }),
        ),
      ),
  }
}

async function agentsIn(service: ObservedService) {
  const { installation, baseUrl } = service
  const where = { ...installation, location: `${baseUrl}/identity` }
  const [owner, gone] = [await addPerson(service), await addPerson(service)]
  const keys = [generateKeyPair(), generateKeyPair()] as const
  const publicKeys = keys.map(({ publicKey }) => encodeBase64(publicKey))
  await addAgent({ name: 'known-agent', account: owner.id, publicKey: publicKeys[0] }, where)
  await addAgent({ name: 'disabled-agent', account: gone.id, publicKey: publicKeys[1] }, where)
  await disableAccount(gone.id, installation)
  const stranger = generateKeyPair()
  const begin = async () => {
    const caveat = await caveatFor(installation.keyring, 'is-authenticated-userid')
    const { body } = await postDischarge(`${baseUrl}/identity`, caveat)
    const loginUrl = new URL(body.Info.InteractionMethods.agent['login-url'])
    return loginUrl.searchParams.get('did') ?? ''
  }
  return {
    names: { known: 'known-agent', disabled: 'disabled-agent', unknown: 'no-such-agent' },
    asking: async (name: string) => ({
      did: await begin(),
      ...{ username: name, 'public-key': encodeBase64(stranger.publicKey) },
    }),
  }
}

/** Returns an existing and a missing record, by path of the management API and of the console. */
async function recordsIn(
  service: ObservedService,
  known: Account,
): Promise<Readonly<Record<string, Readonly<Record<string, string>>>>> {
  await withAcme(service.installation)
  await registered(service, {})
  const [device] = await service.installation.database.query.selectFrom('device').select('id').execute()
  await logIn(service, known)
  const [session] = await service.installation.database.query
    .selectFrom('token_session')
    .select('session_id')
    .where('account_id', '=', known.id)
    .execute()
  assert.ok(device && session)
  return {
    '/accounts/*': { known: known.id, unknown: 'A'.repeat(known.id.length) },
    '/devices/*': { known: device.id, unknown: '11111111-1111-4111-8111-111111111111' },
    '/tokens/*': { known: session.session_id, unknown: '22222222-2222-4222-8222-222222222222' },
    '/brands/*': { known: ACME.brandId, unknown: 'no-such-brand' },
    [`/brands/${ACME.brandId}/models/*`]: { known: ACME.model, unknown: 'no-such-model' },
  }
}
