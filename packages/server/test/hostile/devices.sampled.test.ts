/**
 * Guarantee: whatever a device sends, the answer is never a 5xx, the connection stays open, and all refusals
 * have the same form. The quick run sends a twelfth on either database, the full run everything on SQLite and
 * a quarter on PostgreSQL; RATAFIA_TEST_HOSTILE_TIMES=50 makes it fifty times as many. A failure prints its
 * seed; the seeds are fixed.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ErrorBodySchema } from '@ratafia/api/schemas'
import { encodeBinary } from '@ratafia/macaroon'
import fc from 'fast-check'
import { Check } from 'typebox/value'
import { FULL, HOSTILE_TIMES } from '../../../../tools/test/effort.ts'
import { type NonceKind, newNonce } from '../../src/devices/nonce.ts'
import { addApiKey } from '../support/as-operator.ts'
import { brandDeps, testKey } from '../support/brands.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  ACME,
  addAcmeModel,
  deviceKey,
  freshDeviceKeys,
  modelFile,
  registered,
  sessionOf,
  withAcme,
} from '../support/devices.ts'
import { macaroonOf, testService } from '../support/service.ts'
import {
  type DeepDevice,
  type DeepRequest,
  type DeepSeeds,
  deepRegistrations,
  deepSessions,
  type FreshTexts,
  sessions,
} from './deep-requests.ts'
import { shallowDeviceRequests } from './device-requests.ts'
import { answersOf, type PipelinedAnswer, type RawRequest } from './pipeline.ts'

/** Fewer than can wait for their signature at once: one more would get a 503, which is correct. */
const BATCH = 50
const KEYS = 12

eachDatabase((kind, open, fresh) => {
  const service = testService(fresh)
  const share = (FULL ? (kind === 'sqlite' ? 1 : 0.25) : 1 / 12) * HOSTILE_TIMES
  let seeds: DeepSeeds
  const texts: FreshTexts = {
    requestId: () => newNonce('request-id', service.installation),
    nonce: () => newNonce('nonce', service.installation),
    expired: (of: NonceKind) =>
      newNonce(of, { ...service.installation, clock: () => new Date(Date.now() - 700_000) }),
  }

  before(async () => {
    const deps = brandDeps(await open())
    await withAcme(deps)
    const models: [string, Uint8Array][] = [[ACME.model, Buffer.from(modelFile.bytes)]]
    const add = async (name: string, policy: Parameters<typeof addAcmeModel>[2]) =>
      models.push([name, await addAcmeModel(deps, name, policy)])
    await add('by-approval', { policy: { registration: 'approval' } })
    await add('by-list', { policy: { registration: 'allow-list' } })
    await add('by-hardware', { policy: { hardwareIdentity: true } })
    await add('by-key', { policy: { proposedSerial: 'required', takenSerial: 'reissue' } })
    await add('watched', { policy: { quarantineClones: true, takenSerial: 'reissue' } })
    const { text: apiKey } = await addApiKey(
      {
        model: { brandId: ACME.brandId, model: 'by-key' },
        label: 'hostile',
        expiresAt: null,
        useLimit: null,
      },
      deps,
    )
    const serial = await registered(service, { key: deviceKey() })
    const session = macaroonOf(await sessionOf(service, { serial, key: deviceKey() }))
    const keys = [...(await freshDeviceKeys(KEYS)), deviceKey()]
    seeds = {
      devices: keys.flatMap((key) =>
        models.map(([model, modelText]): DeepDevice => ({ key, brandId: ACME.brandId, model, modelText })),
      ),
      brandKey: testKey('brand'),
      strangerKey: testKey('unknown'),
      apiKey,
      session,
    }
  })

  const suites: readonly [
    what: string,
    count: number,
    requests: () => fc.Arbitrary<DeepRequest>,
    expected: readonly string[],
  ][] = [
    [
      'damaged assertions, JSON, headers and paths',
      3000,
      () => shallowDeviceRequests(encodeBinary(seeds.session)).map(asDeep),
      ['invalid-assertion', 'invalid-request', 'device-service-not-allowed', 'assertion-not-found'],
    ],
    [
      'registrations that are signed',
      600,
      () => deepRegistrations(seeds),
      ['200', '202', 'invalid-nonce', 'invalid-assertion', 'registration-refused', 'invalid-api-key'],
    ],
    [
      'session requests that are signed',
      600,
      () => deepSessions(seeds),
      ['200', 'invalid-nonce', 'invalid-assertion', 'invalid-device-session', 'device-refused'],
    ],
    [
      'device sessions with caveats of their holder',
      600,
      () =>
        sessions(seeds)
          .map((headers): RawRequest => ({ method: 'GET', path: '/device-session', headers }))
          .map(asDeep),
      ['200', 'device-session-required'],
    ],
  ]
  for (const [what, count, requests, expected] of suites) {
    const wanted = Math.ceil((count * share) / BATCH) * BATCH
    test(`${wanted} ${what}: no 5xx, no lost connection, refusals of one form`, async (context) => {
      const arbitrary = requests()
      const seen = new Map<string, number>()
      for (let sent = 0, seed = 1; sent < wanted; sent += BATCH, seed++) {
        const batch: RawRequest[] = []
        for (const request of fc.sample(arbitrary, { numRuns: BATCH, seed })) batch.push(await request(texts))
        const answers = await answersOf(service.baseUrl, batch).catch((cause: unknown) => {
          throw new Error(`seed ${seed}: ${describe(batch)}`, { cause })
        })
        for (const [index, answer] of answers.entries()) {
          const at = `seed ${seed}, request ${index}: ${answer.head}\n${answer.body}\nfor ${describe(batch.slice(index, index + 1))}`
          const outcome = outcomeOf(answer, at)
          seen.set(outcome, (seen.get(outcome) ?? 0) + 1)
        }
      }
      context.diagnostic(JSON.stringify(Object.fromEntries(seen)))
      // Not all were refused by the first check.
      for (const outcome of expected) assert.ok(seen.has(outcome), `${outcome} is not among ${[...seen]}`)
    })
  }
})

const asDeep =
  (request: RawRequest): DeepRequest =>
  async () =>
    request

/** Returns the code of a refusal; otherwise the status. */
function outcomeOf({ status, head, body }: PipelinedAnswer, at: string): string {
  assert.ok(status < 500 && status !== 429, at)
  assert.match(head, /^snap-store-version: 32$/im, at)
  assert.doesNotMatch(head, /^location:/im, at)
  if (status < 400) {
    assert.ok(status === 200 || status === 202, at)
    return String(status)
  }
  assert.match(head, /^content-type: application\/json\r?$/im, at)
  const parsed: unknown = JSON.parse(body.toString())
  assert.ok(Check(ErrorBodySchema, parsed), at)
  const [first] = parsed.error_list
  // `snap changes` shows it: one line, without a long text from the client.
  assert.match(first?.message ?? '', /^\P{Cc}{1,1000}$/u, at)
  return first?.code ?? assert.fail(at)
}

const describe = (batch: readonly RawRequest[]): string =>
  JSON.stringify(
    batch.map(({ body, ...rest }) => ({
      ...rest,
      body: Buffer.from(body ?? '')
        .toString('latin1')
        .slice(0, 6000),
    })),
  ).slice(0, 20_000)
