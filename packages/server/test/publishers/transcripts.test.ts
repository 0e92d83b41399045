// Requests of unmodified clients, once sent to a recorder, are sent again byte for byte, and get usable answers.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, suite, test } from 'node:test'
import type { Account } from '../../src/accounts/account.ts'
import { disableAccount } from '../support/accounts.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  addPublisher,
  bound,
  caveatIdOf,
  decoded,
  logInWithPassword,
  PASSWORD,
  type Pair,
  pairHeader,
  refresh,
  requestDischarge,
} from '../support/publishers.ts'
import { sendRaw } from '../support/raw-http.ts'
import { withSecondFactor } from '../support/second-factor.ts'
import { bearing, call, sessionIdOf, type TestService, testService } from '../support/service.ts'
import { assertReadable, codeToExpect } from './answers-read.ts'
import { type Before, STEPS, type Step } from './expected-answers.ts'
import { type Exchange, replayed, type Transcript } from './recorded-request.ts'

/** When they were recorded. Some requests contain an expiry. */
const RECORDED_AT = Date.parse('2026-11-21T22:05:00Z')
const DISCHARGE_MS = 60_000

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh, { RATAFIA_DISCHARGE_LIFETIME: `${DISCHARGE_MS / 1000}s` })
  let replay: Replay
  before(async () => {
    service.advance(RECORDED_AT - service.now().getTime())
    replay = await startReplay(service)
  })

  for (const [file, steps] of Object.entries(STEPS)) {
    suite(file, () => {
      const transcripts = recorded(file)
      test('every step is replayed, or has a reason why it is not', () => {
        assert.deepEqual(
          transcripts.map(({ step }) => step),
          Object.keys(steps),
        )
      })
      for (const { client, step, exchanges } of transcripts) {
        const expected = steps[step]
        if (typeof expected === 'object')
          test(`answers ${client} in the step ${step}`, () => replay.step(exchanges, expected))
      }
    })
  }
})

function recorded(file: string): Transcript[] {
  const path = join(import.meta.dirname, `../data/publisher-login/transcripts/${file}.jsonl`)
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Transcript)
}

interface Replay {
  step(exchanges: Transcript['exchanges'], expected: Step): Promise<void>
}

/** Keeps the credentials between the steps, as a client does. */
async function startReplay(service: TestService): Promise<Replay> {
  const plain = await addPublisher(service)
  const people: Readonly<Record<NonNullable<Step['as']>, Account>> = {
    'second factor': await addPublisher(service),
    disabled: await addPublisher(service),
  }
  const codeNow = await withSecondFactor(service, people['second factor'])
  await disableAccount(people.disabled.username, service.installation)

  let root = ''
  let pair: Pair
  let token: string

  async function keep(next: Pair): Promise<void> {
    pair = next
    const path = '/v1/tokens/usso/exchange'
    const { body } = await call(service, 'POST', path, { headers: pairHeader(pair), body: {} })
    token = body.macaroon
  }
  const logIn = async () => {
    await keep(await logInWithPassword(service, plain))
    root = pair.root
  }

  const happen: Readonly<Record<Before, (email: string) => Promise<void>>> = {
    stale: async () => service.advance(DISCHARGE_MS + 1000),
    revoked: async () => {
      const body = { 'session-id': sessionIdOf(decoded(pair.root)) }
      const { status } = await call(service, 'POST', '/api/v2/tokens/revoke', {
        headers: bearing(token),
        body,
      })
      assert.equal(status, 200)
    },
    throttled: async (email) => {
      for (let status = 0, attempts = 0; status !== 429; attempts++) {
        assert.ok(attempts < 20)
        const wrong = { email, password: 'wrong', caveat_id: caveatIdOf(root) }
        status = (await requestDischarge(service, wrong)).status
      }
    },
  }

  /** Renews the credentials, so that each step begins with valid ones. */
  async function comeWithCredentials(): Promise<void> {
    const { status, body } = await refresh(service, pair.discharge)
    if (status === 200) pair = { ...pair, discharge: body.discharge_macaroon }
    else await logIn()
  }

  async function send({ request, response }: Exchange, status: number, email: string): Promise<void> {
    const { host } = new URL(service.baseUrl)
    const { discharge } = pair
    const text = replayed(request, {
      host,
      email,
      password: PASSWORD,
      code: codeNow(),
      caveatId: caveatIdOf(root),
      root: pair.root,
      discharge,
      boundDischarge: bound(pair),
      token,
    })
    const [answer] = await sendRaw(service.baseUrl, text)
    assert.equal(answer?.status, status, `${text}\n${answer?.body}`)
    const [line = ''] = text.split('\r\n', 1)
    const discharged = line.includes('/refresh') ? pair.root : root
    const body = assertReadable(answer, { line, host, caveatId: caveatIdOf(discharged) })
    const code = status === response.status || status === 401 ? codeToExpect(response.body) : undefined
    if (status !== 200 && code !== undefined) assert.equal(body.error_list[0].code, code)
    if (status === 200) await keepFrom(body, line)
  }

  async function keepFrom(body: { macaroon: string; discharge_macaroon: string }, line: string) {
    if (/ \/(dev\/api\/acl\/|v1\/tokens\/usso) /.test(line)) root = body.macaroon
    if (line.includes('/discharge')) await keep({ root, discharge: body.discharge_macaroon })
    if (line.includes('/refresh')) pair = { ...pair, discharge: body.discharge_macaroon }
    if (line.includes('/exchange')) token = body.macaroon
  }

  await logIn()
  return {
    async step(exchanges, { as, before = {}, answers }) {
      const throttled = Object.values(before).includes('throttled')
      const person = as ? people[as] : throttled ? await addPublisher(service) : plain
      // Use a different code than the last one.
      if (as === 'second factor') service.advance(60_000)
      await comeWithCredentials()
      assert.equal(answers?.length ?? exchanges.length, exchanges.length)
      for (const [position, exchange] of exchanges.entries()) {
        const first = before[position]
        if (first) await happen[first](person.email)
        await send(exchange, answers?.[position] ?? exchange.response.status, person.email)
      }
    },
  }
}
