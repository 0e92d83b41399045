/**
 * Guarantee: the secrets of a password login (password, code, discharge, token) never appear in a log line at
 * any level, an audit entry, a span or a refusal, whatever is wrong with the request.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setPassword } from '../support/accounts.ts'
import { eachDatabase } from '../support/databases.ts'
import { observedServices } from '../support/observed.ts'
import { type OtlpReceiver, otlpReceiver } from '../support/otlp-receiver.ts'
import {
  addPublisher,
  bound,
  caveatIdOf,
  decoded,
  getPasswordRoot,
  pairHeader,
  refresh,
  requestDischarge,
} from '../support/publishers.ts'
import { withSecondFactor } from '../support/second-factor.ts'
import { find, type Secret, secretsOf } from '../support/secret-search.ts'
import { bearing, call } from '../support/service.ts'

const PASSWORD = 'pass & “word” <of> 100% / a+person'
const WRONG = 'not “right” & not \u0000 a \\ word'
const CODE = '914207-otp-835561'
const PATHS = [
  ...['/dev/api/acl/', '/dev/api/acl/verify/', '/api/v2/tokens/discharge', '/api/v2/tokens/refresh'],
  ...['/api/v2/tokens/export', '/v1/tokens', '/v1/tokens/usso', '/v1/tokens/usso/exchange'],
  ...['/v1/tokens/offline/exchange', '/publishergw/v1/tokens/revoke', '/dev/api/account'],
]
const FIELDS = ['email', 'password', 'otp', 'caveat_id', 'discharge_macaroon', 'macaroon', 'description']

/** Returns bodies with a secret in a wrong place, or in an unreadable one. */
const misplacing = (secret: string): readonly string[] => [
  secret,
  `${JSON.stringify({ password: secret }).slice(0, -1)},`,
  JSON.stringify([secret]),
  JSON.stringify({ [secret]: secret }),
  JSON.stringify({ ...Object.fromEntries(FIELDS.map((field) => [field, secret])), auth_data: secret }),
  ...FIELDS.map((field) => JSON.stringify({ [field]: [secret, { [secret]: 1 }] })),
  JSON.stringify({ auth_data: { authorization: secret, http_uri: secret } }),
  JSON.stringify({ permissions: [secret], 'client-description': { secret }, ttl: secret, otp: secret }),
  `{"__proto__":${JSON.stringify(secret)}}`,
  JSON.stringify({ password: secret, more: 'x'.repeat(70_000) }),
]

eachDatabase((_kind, _open, fresh) => {
  const observed = observedServices(fresh)
  let receiver: OtlpReceiver
  before(async () => {
    receiver = await otlpReceiver()
  })
  after(() => receiver.close())

  test('no secret of a login leaves a trace', async () => {
    const service = await observed({
      RATAFIA_LOG_LEVEL: 'trace',
      RATAFIA_ACCESS_LOG: 'on',
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    })
    const { installation } = service
    const person = await addPublisher(service)
    await setPassword({ account: person.username, password: PASSWORD }, installation)
    const code = await withSecondFactor(service, person)
    const secrets: Secret[] = []
    const keep = (name: string, text: string): string => {
      secrets.push(...secretsOf(name, text))
      return text
    }
    /** Keeps the signature, which is the secret of a macaroon. */
    const keepMacaroon = (name: string, text: string): string => {
      secrets.push(...secretsOf(`the signature of ${name}`, decoded(text).signature))
      secrets.push({ name, bytes: Buffer.from(text.slice(-40)) })
      return text
    }
    for (const [name, text] of Object.entries({ password: PASSWORD, wrong: WRONG, code: CODE }))
      keep(name, text)

    const root = keepMacaroon('a root', await getPasswordRoot(service))
    const login = { email: person.username, caveat_id: caveatIdOf(root) }
    const refusals = [
      await requestDischarge(service, { ...login, password: WRONG }),
      await requestDischarge(service, { ...login, email: PASSWORD, password: WRONG, otp: CODE }),
      await requestDischarge(service, { ...login, password: PASSWORD, caveat_id: CODE }),
      await requestDischarge(service, { ...login, password: PASSWORD, otp: CODE }),
      await requestDischarge(service, { ...login, password: PASSWORD }),
      await refresh(service, WRONG),
    ].map(({ body }) => JSON.stringify(body))
    const { body } = await requestDischarge(service, { ...login, password: PASSWORD, otp: code() })
    const pair = { root, discharge: keepMacaroon('a discharge', body.discharge_macaroon) }
    keepMacaroon('a bound discharge', bound(pair))
    const again = (await refresh(service, pair.discharge)).body
    keepMacaroon('a refreshed discharge', again.discharge_macaroon)
    const headers = pairHeader(pair)
    const exchanged = await call(service, 'POST', '/v1/tokens/usso/exchange', { headers, body: {} })
    const token = keepMacaroon('a token', exchanged.body.macaroon)
    const exported = (await call(service, 'POST', '/api/v2/tokens/export', { headers, body: {} })).body
    for (const part of ['root', 'discharge', 'macaroon']) keepMacaroon(`an exported ${part}`, exported[part])
    await call(service, 'GET', '/dev/api/account', { headers: bearing(token) })

    const misplaced = [PASSWORD, CODE, pair.discharge, token, headers['authorization'] ?? '']
    for (const path of PATHS) {
      for (const secret of misplaced) {
        for (const sent of misplacing(secret)) {
          const response = await fetch(`${service.baseUrl}${path}`, { method: 'POST', body: sent })
          assert.ok(response.status < 500, `${path}: ${response.status} for ${sent.slice(0, 200)}`)
          const text = await response.text()
          // Refusals of unknown fields quote the name that the client sent.
          if (response.status >= 400 && !text.includes('has an unknown field')) refusals.push(text)
        }
        const escaped = encodeURIComponent(secret)
        const header = /^[ -~]+$/.test(secret) ? secret : escaped
        for (const [target, init] of [
          [`${path}?password=${escaped}`, {}],
          [path, { headers: { authorization: header, 'user-agent': header, 'content-type': header } }],
        ] as const) {
          refusals.push(
            await (await fetch(`${service.baseUrl}${target}`, { ...init, method: 'POST' })).text(),
          )
        }
      }
    }

    const entries = await installation.database.query.selectFrom('audit_entry').selectAll().execute()
    assert.ok(entries.length > 1)
    await service.close()
    const spans = JSON.stringify(receiver.spans)
    const log = service.log()
    for (const path of PATHS) {
      assert.ok(log.includes(path) && spans.includes(path.replace(/^\/publishergw/, '')), path)
    }
    assert.ok(/"level":(10|20),/.test(log), 'the log has the most detailed level')
    const places = {
      'the log': Buffer.from(log),
      'the spans': Buffer.concat([Buffer.from(spans), ...receiver.requests.map((one) => one.body)]),
      'the audit log': Buffer.from(JSON.stringify(entries)),
    }
    assert.deepEqual(find(secrets, places), [])
    // A refusal can name the wrong field, but not its value.
    assert.deepEqual(find(secrets, { refusals: Buffer.from(refusals.join('\n')) }), [])
    // The search finds a planted secret.
    assert.ok(find(secrets, { planted: Buffer.from(JSON.stringify({ x: PASSWORD })) }).length > 0)
  })
})
