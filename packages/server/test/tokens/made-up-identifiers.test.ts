/** Identifiers with root keys that do not exist, at every endpoint that accepts a macaroon or a sealed text. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { encodeBase64Url, encodeBinary, type Macaroon, mint } from '@ratafia/macaroon'
import { eachDatabase } from '../support/databases.ts'
import {
  addPerson,
  bearing,
  call,
  logIn,
  refusalOf,
  type TestService,
  testService,
} from '../support/service.ts'

/** The number that fits into the headers of a request. */
const SLICES = 24
const REQUESTS = 60
/** Without the guarantee, a request would wait about a second for each of its slices. */
const PATIENCE_MS = 120_000

/** Returns a macaroon with a made-up identifier. The kind `0x11` is a root, `0x12` a token. */
function madeUp(kind: number, ahead: number): Macaroon {
  const id = Buffer.concat([Buffer.of(kind, 0, 0, 0, 0), randomBytes(16)])
  id.writeUInt32BE(1 + ahead, 1)
  return mint({ rootKey: randomBytes(32), id, location: 'localhost' })
}

const textOf = (macaroon: Macaroon): string => encodeBase64Url(encodeBinary(macaroon))

function hostileHeaders(request: number): Record<string, string> {
  const texts = Array.from({ length: SLICES }, (_, at) =>
    textOf(madeUp(at % 2 === 0 ? 0x11 : 0x12, 2 + ((request * SLICES + at) % 1_000))),
  )
  return {
    authorization: `Macaroon ${texts.slice(0, SLICES / 2).join(',')}`,
    macaroons: texts.slice(SLICES / 2).join(','),
  }
}

const NOT_OURS = {
  status: 401,
  code: 'macaroon-authorization-required',
  message: 'The macaroon was not issued by this service. Log in to this one.',
}

const whoami = (service: TestService, headers: Record<string, string>) =>
  call(service, 'GET', '/api/v2/tokens/whoami', { headers })
const exchange = (service: TestService, headers: Record<string, string>) =>
  call(service, 'POST', '/api/v2/tokens/exchange', { headers, body: {} })

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)

  test('Guarantee: made-up identifiers do not delay a request', { timeout: PATIENCE_MS }, async () => {
    const token = await logIn(service, await addPerson(service))
    for (let request = 0; request < REQUESTS; request++) {
      const send = request % 2 === 0 ? whoami : exchange
      assert.deepEqual(refusalOf(await send(service, hostileHeaders(request))), NOT_OURS)
      const session = textOf(madeUp(0x14, 1 + request))
      const headers = { 'x-device-authorization': `Macaroon root="${session}"` }
      assert.equal((await call(service, 'GET', '/device-session', { headers })).status, 401)
      const text = Buffer.concat([Buffer.of(1, 0, 0, 0, 2 + request), randomBytes(40)]).toString('base64url')
      const waited = await fetch(`${service.baseUrl}/identity/wait-token?did=${text}`)
      assert.equal(waited.status, 400)
    }
    assert.equal((await whoami(service, bearing(token))).status, 200)
  })

  test('Guarantee: only a few slices of this service are examined, and a valid one among them counts', async () => {
    const token = await logIn(service, await addPerson(service))
    const forged = () => {
      const id = Buffer.concat([Buffer.of(0x12, 0, 0, 0, 1), randomBytes(16)])
      return textOf(mint({ rootKey: randomBytes(32), id, location: 'localhost' }))
    }
    const others = () => Array.from({ length: 8 }, (_, at) => textOf(madeUp(0x12, 1 + at)))
    const among = (ours: number) => ({
      macaroons: [...others(), ...Array.from({ length: ours }, forged), token].join(','),
    })
    assert.equal((await whoami(service, among(3))).status, 200)
    assert.deepEqual(refusalOf(await whoami(service, among(4))), NOT_OURS)
  })

  test('Guarantee: made-up identifiers are refused without the database', async () => {
    await service.installation.database.close()
    for (let request = 0; request < 10; request++) {
      for (const send of [whoami, exchange]) {
        assert.deepEqual(refusalOf(await send(service, hostileHeaders(request))), NOT_OURS)
      }
    }
  })
})
