/** Tests the identity, expiry and limits of publisher tools' macaroons with the vectors of the macaroon package. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { verify } from '@ratafia/macaroon'
import { PatternBudget } from '@ratafia/macaroon/conditions'
import { presentedMacaroons } from '../../http/credentials/presented.ts'
import { type Cleared, clear } from './clear.ts'

interface Vector {
  readonly name: string
  readonly authorization: string
}
const file = new URL('../../../../macaroon/vectors/10-publisher-login.json', import.meta.url)
const { keys, valid, identity, expiry } = JSON.parse(readFileSync(file, 'utf8')) as {
  keys: { root_key_1_hex: string }
  valid: readonly { readonly name: string; readonly authorization: Readonly<Record<string, string>> }[]
  identity: readonly Vector[]
  expiry: readonly Vector[]
}
const now = new Date('2050-01-01T00:00:00Z')

function cleared(authorization: string): Cleared {
  const [slice] = presentedMacaroons({ authorization })
  const conditions = verify(slice, Buffer.from(keys.root_key_1_hex, 'hex'))
  const kind = 'token-root'
  return clear(slice, conditions, {
    ...{ kind, withPassword: true, identityKey: 'userid', now, patterns: new PatternBudget() },
  })
}

const named = (name: string, vectors: readonly Vector[]): string =>
  vectors.find((one) => one.name === name)?.authorization ?? assert.fail(name)

for (const { name, authorization } of valid.filter((one) => one.name !== 'attenuated-then-bound')) {
  for (const [client, header] of Object.entries(authorization)) {
    test(`reads identity, time, expiry and limits of ${name}, as sent by ${client}`, () => {
      const { sessionId, subject, givenAt, expires, sessionExpires, dischargeExpires, attenuations } =
        cleared(header)
      assert.deepEqual([sessionId, subject], ['11111111-1111-4111-8111-111111111111', 'alice'])
      assert.equal(givenAt?.toISOString(), '2026-01-01T00:00:00.000Z')
      const end = new Date('2100-01-01T00:00:00Z')
      assert.deepEqual([expires, sessionExpires, dischargeExpires], [end, end, end])
      assert.deepEqual(attenuations, {
        channels: ['edge'],
        packages: null,
        permissions: ['package_access', 'package_push'],
        storeIds: null,
      })
    })
  }
}

test('refuses a root whose holder left no permissions', () => {
  const { authorization } = valid.find((one) => one.name === 'attenuated-then-bound') ?? assert.fail()
  for (const header of Object.values(authorization)) {
    assert.throws(() => cleared(header), { message: /no permissions are left/ })
  }
})

test('refuses a second identity that a holder appended', () => {
  assert.throws(() => cleared(named('second-identity-in-discharge', identity)), {
    code: 'macaroon-authorization-required',
    message: /declares more than one "userid"/,
  })
})

test('the first expiry in a discharge limits only the discharge, so a refresh helps', () => {
  const { sessionExpires, dischargeExpires } = cleared(named('discharge-expired-root-alive', expiry))
  assert.ok(now < sessionExpires && dischargeExpires && dischargeExpires < now)
})

test('the expiry of a root limits the session', () => {
  const { sessionExpires, mintedExpires } = cleared(named('root-expired-discharge-expired', expiry))
  assert.ok(sessionExpires < now && mintedExpires < now)
})

test('a second expiry in a discharge is its holder’s, and limits the session for this copy', () => {
  const { sessionExpires, mintedExpires, dischargeExpires } = cleared(
    named('discharge-narrowed-by-holder', expiry),
  )
  assert.ok(sessionExpires < now && now < mintedExpires && dischargeExpires && now < dischargeExpires)
})
