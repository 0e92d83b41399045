/** Guarantee: a discharge that was changed, moved to another root, or is another user's opens and refreshes nothing. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { addFirstPartyCaveat, bindDischarge, type Macaroon, mint } from '@ratafia/macaroon'
import { encodeCaveatId, generateKeyPair } from '@ratafia/macaroon/bakery'
import type { Account } from '../../src/accounts/account.ts'
import { disableAccount, enableAccount, removeAccount, revokeAll, setPassword } from '../support/accounts.ts'
import { eachDatabase } from '../support/databases.ts'
import {
  addPublisher,
  bound,
  caveatIdOf,
  decoded,
  encoded,
  getPasswordRoot,
  logInWithPassword,
  loginRefusalOf,
  PASSWORD,
  type Pair,
  pairHeader,
  refresh,
  requestDischarge,
} from '../support/publishers.ts'
import { type Answer, bearing, call, getRoot, refusalOf, testService } from '../support/service.ts'

const header = (root: string, ...discharges: string[]) => ({
  authorization: `Macaroon ${[`root=${root}`, ...discharges.map((one) => `discharge=${one}`)].join(', ')}`,
})
const withCaveat = (text: string, condition: string): string =>
  encoded(addFirstPartyCaveat(decoded(text), condition))
const replaced = (macaroon: Macaroon, at: number, condition: string): string => {
  const caveats = macaroon.caveats.map((one, index) =>
    index === at ? { ...one, id: Buffer.from(condition) } : one,
  )
  return encoded({ ...macaroon, caveats })
}

eachDatabase((_kind, _open, fresh) => {
  const service = testService(fresh)
  let alice: Account
  let bob: Account
  before(async () => {
    alice = await addPublisher(service)
    bob = await addPublisher(service)
  })
  const whoami = (headers: Record<string, string>): Promise<Answer> =>
    call(service, 'GET', '/api/v2/tokens/whoami', { headers })
  const refused = async (headers: Record<string, string>, message: RegExp) => {
    const answer = refusalOf(await whoami(headers))
    assert.deepEqual([answer.status, answer.code], [401, 'macaroon-authorization-required'], answer.message)
    assert.match(answer.message, message)
    // Every endpoint that accepts the pair refuses it.
    for (const path of ['/v1/tokens/usso/exchange', '/api/v2/tokens/export', '/api/v2/tokens/exchange']) {
      assert.equal((await call(service, 'POST', path, { headers, body: {} })).status, 401, path)
    }
    const { body } = await verification(headers['authorization'] ?? '')
    assert.deepEqual(body, { allowed: false, refresh_required: false })
  }
  const verification = (authorization: string): Promise<Answer> =>
    call(service, 'POST', '/dev/api/acl/verify/', { body: { auth_data: { authorization } } })
  const notRefreshed = async (discharge: string) => {
    const { status, code } = loginRefusalOf(await refresh(service, discharge))
    assert.deepEqual([status, code], [401, 'INVALID_CREDENTIALS'])
  }

  describe('a root with its discharge', () => {
    let pair: Pair
    before(async () => {
      pair = await logInWithPassword(service, alice)
    })

    test('is refused without the discharge, and so is a discharge alone', async () => {
      await refused(header(pair.root), /no discharge/)
      await refused(bearing(pair.root), /no discharge/)
      await refused(bearing(pair.discharge), /not issued by this service/)
    })

    test('is refused if the discharge is not bound, bound to another root, or present twice', async () => {
      const other = await logInWithPassword(service, alice)
      await refused(header(pair.root, pair.discharge), /does not verify/)
      const elsewhere = encoded(bindDischarge(decoded(other.root), decoded(pair.discharge)))
      await refused(header(pair.root, elsewhere), /does not verify/)
      await refused(header(pair.root, bound(pair), bound(pair)), /does not verify/)
      await refused(header(pair.root, bound(pair), bound(other)), /does not verify/)
    })

    test('is refused with the discharge of another session, of the same person or another', async () => {
      for (const person of [alice, bob]) {
        const other = await logInWithPassword(service, person)
        await refused(
          header(pair.root, encoded(bindDischarge(decoded(pair.root), decoded(other.discharge)))),
          /does not verify/,
        )
      }
    })

    test('is refused with a discharge that a stranger forged for its caveat', async () => {
      const forged = [`declared userid ${bob.id}`, 'time-before 2099-01-01T00:00:00Z'].reduce(
        addFirstPartyCaveat,
        mint({
          rootKey: Buffer.alloc(24, 1),
          id: caveatIdOf(pair.root),
          version: 1,
          location: 'login.ubuntu.com',
        }),
      )
      await refused(header(pair.root, encoded(bindDischarge(decoded(pair.root), forged))), /does not verify/)
    })

    test('is refused with a second identity that its holder appended', async () => {
      const discharge = withCaveat(pair.discharge, `declared userid ${bob.id}`)
      await refused(pairHeader({ ...pair, discharge }), /declares more than one "userid"/)
    })

    test('is refused with any changed caveat', async () => {
      const [root, discharge] = [decoded(pair.root), decoded(pair.discharge)]
      for (const [at, condition] of [
        [0, 'time-before 2199-01-01T00:00:00.000000Z'],
        [2, 'session-id 11111111-1111-4111-8111-111111111111'],
      ] as const) {
        await refused(pairHeader({ ...pair, root: replaced(root, at, condition) }), /does not verify/)
      }
      for (const [at, condition] of [
        [0, `declared userid ${bob.id}`],
        [1, 'time-before 2199-01-01T00:00:00.000000Z'],
        [2, 'time-since 2199-01-01T00:00:00.000000Z'],
      ] as const) {
        const changed = replaced(discharge, at, condition)
        await refused(pairHeader({ ...pair, discharge: changed }), /does not verify/)
        await notRefreshed(changed)
      }
    })

    test('has fewer permissions after its holder narrowed the root and bound the discharge again', async () => {
      const extra =
        'extra {"channel": ["edge"], "package_id": null, "acl": ["package_access"], "store_ids": null}'
      const root = withCaveat(pair.root, extra)
      const { status, body } = await whoami(pairHeader({ ...pair, root }))
      assert.equal(status, 200)
      assert.deepEqual([body.channels, body.permissions], [['edge'], ['package_access']])
      await refused(header(root, bound(pair)), /does not verify/)
      const unknown = refusalOf(
        await whoami(pairHeader({ ...pair, root: withCaveat(pair.root, 'ip 1.2.3.4') })),
      )
      assert.equal(unknown.code, 'macaroon-caveat-unknown')
    })

    test('is accepted with a different location, because that is only a label', async () => {
      const root = decoded(pair.root)
      const caveats = root.caveats.map((one) =>
        one.verificationId ? { ...one, location: 'login.evil.example' } : one,
      )
      const lying = { ...pair, root: encoded({ ...root, caveats, location: 'elsewhere' }) }
      assert.equal((await whoami(pairHeader(lying))).status, 200)
      const discharge = encoded({ ...decoded(pair.discharge), location: 'login.evil.example' })
      assert.equal((await whoami(pairHeader({ ...pair, discharge }))).status, 200)
      const { body } = await refresh(service, discharge)
      assert.equal(decoded(body.discharge_macaroon).location, new URL(service.baseUrl).host)
    })
  })

  describe('a caveat id', () => {
    const login = () => ({ email: alice.username, password: PASSWORD })

    test('is refused before any password is checked if it is not ours, or no password discharges it', async () => {
      const stranger = encodeCaveatId({
        version: 1,
        condition: 'is-login-of-session {}',
        rootKey: Buffer.alloc(24, 3),
        thirdPartyPublicKey: generateKeyPair().publicKey,
        firstParty: generateKeyPair(),
      })
      const bakery = JSON.parse(await getRoot(service)).c.find((one: Record<string, string>) => one['v64'])
      const hashes = countHashes()
      for (const id of [
        '',
        'x',
        'ratafia-caveat-id-1',
        Buffer.from(stranger).toString(),
        `${bakery.i64}`,
        '\u0000',
        'é'.repeat(9000),
      ]) {
        const answer = await requestDischarge(service, { ...login(), caveat_id: id })
        const { status, code } = loginRefusalOf(answer)
        assert.deepEqual([status, code], [400, 'INVALID_DATA'], id)
        assert.ok(Array.isArray(answer.body.extra.caveat_id), id)
      }
      assert.equal(hashes(), 0)
    })

    test('is refused before any password is checked if a stranger sealed it to us', async () => {
      const [ours] = await service.installation.keyring.dischargerKeyPairs()
      const session = '11111111-1111-4111-8111-111111111111'
      const wire = {
        location: 'a',
        declare: 'userid',
        session,
        since: 0,
        until: Date.now() + 9e9,
        description: null,
      }
      const sealed = (condition: string, rootKey = Buffer.alloc(24, 3)) =>
        Buffer.from(
          encodeCaveatId({
            version: 1,
            condition,
            rootKey,
            thirdPartyPublicKey: ours.publicKey,
            firstParty: generateKeyPair(),
          }),
        ).toString()
      const fine = sealed(`is-login-of-session ${JSON.stringify(wire)}`)
      const hashes = countHashes()
      const refused = loginRefusalOf(await requestDischarge(service, { ...login(), caveat_id: fine }))
      assert.deepEqual([refused.status, refused.code, hashes()], [400, 'INVALID_DATA', 0])
      assert.equal(await service.installation.logins.ofSession(session as never), undefined)
      for (const change of [{ until: 'x' }, { declare: 'email' }, { location: 'a b' }, { since: -1 }]) {
        const caveat_id = sealed(`is-login-of-session ${JSON.stringify({ ...wire, ...change })}`)
        assert.equal(
          loginRefusalOf(await requestDischarge(service, { ...login(), caveat_id })).code,
          'INVALID_DATA',
        )
      }
      const weak = sealed(`is-login-of-session ${JSON.stringify(wire)}`, Buffer.alloc(4, 3))
      assert.equal(
        loginRefusalOf(await requestDischarge(service, { ...login(), caveat_id: weak })).code,
        'INVALID_DATA',
      )
    })

    test('is refused if its root has expired', async () => {
      const root = await getPasswordRoot(service, { path: '/v1/tokens/usso', body: { ttl: 60 } })
      service.advance(61_000)
      const { code, message } = loginRefusalOf(
        await requestDischarge(service, { ...login(), caveat_id: caveatIdOf(root) }),
      )
      assert.equal(code, 'INVALID_DATA')
      assert.match(message, /has expired/)
    })

    function countHashes(): () => number {
      const { passwords } = service.installation
      const { verify } = passwords
      let count = 0
      Object.assign(passwords, {
        verify: (...given: Parameters<typeof verify>) => {
          count++
          return verify(...given)
        },
      })
      return () => {
        Object.assign(passwords, { verify })
        return count
      }
    }
  })

  describe('a refresh', () => {
    test('accepts only a single discharge of ours, as the login returned it', async () => {
      const pair = await logInWithPassword(service, alice)
      const cut = pair.discharge.slice(0, -10)
      for (const text of [
        bound(pair),
        pair.root,
        cut,
        'not base64!',
        'AAAA',
        `${pair.discharge}${pair.discharge}`,
        '{}',
      ]) {
        await notRefreshed(text)
      }
      for (const body of [{}, { discharge_macaroon: '' }, { discharge_macaroon: 7 }, [], 'x']) {
        const answer = await call(service, 'POST', '/api/v2/tokens/refresh', { body })
        assert.deepEqual([answer.status, answer.body.code], [400, 'INVALID_DATA'], JSON.stringify(body))
      }
    })

    test('works for an account that was created before the clock was set back', async () => {
      service.advance(600_000)
      const person = await addPublisher(service)
      service.advance(-600_000)
      const pair = await logInWithPassword(service, person)
      assert.equal((await refresh(service, pair.discharge)).status, 200)
    })

    test('ignores a stale Authorization header', async () => {
      const pair = await logInWithPassword(service, alice)
      const body = { discharge_macaroon: pair.discharge }
      const headers = { authorization: 'Macaroon root=x' }
      assert.equal((await call(service, 'POST', '/api/v2/tokens/refresh', { body, headers })).status, 200)
    })
  })

  describe('after the discharge, a root with its discharge is refused if', () => {
    const ended = async (pair: Pair, message: RegExp) => {
      await refused(pairHeader(pair), message)
      await notRefreshed(pair.discharge)
      service.advance(25 * 3_600_000)
      // A refresh would not help, so the answer does not ask for one.
      await refused(pairHeader(pair), message)
    }
    test('the session was revoked', async () => {
      const person = await addPublisher(service)
      const pair = await logInWithPassword(service, person)
      await revokeAll({ account: person.username }, service.installation)
      await ended(pair, /revoked at/)
    })

    test('the account was disabled, and still after it is enabled again', async () => {
      const person = await addPublisher(service)
      const pair = await logInWithPassword(service, person)
      await disableAccount(person.username, service.installation)
      await ended(pair, /has been disabled since/)
      await enableAccount(person.username, service.installation)
      await refused(pairHeader(pair), /are no longer valid/)
    })

    test('the password was changed, but a token exchanged before stays valid', async () => {
      const person = await addPublisher(service)
      const pair = await logInWithPassword(service, person)
      const { body } = await call(service, 'POST', '/v1/tokens/usso/exchange', {
        headers: pairHeader(pair),
        body: {},
      })
      await setPassword({ account: person.username, password: 'another battery' }, service.installation)
      await ended(pair, /are no longer valid/)
      assert.equal((await whoami(bearing(body.macaroon))).status, 200)
    })

    test('the account was removed', async () => {
      const person = await addPublisher(service)
      const pair = await logInWithPassword(service, person)
      await removeAccount({ account: person.username }, service.installation)
      await ended(pair, /revoked at|was removed at/)
    })

    test('the root has expired', async () => {
      const pair = await logInWithPassword(service, alice, {
        body: { expires: new Date(service.now().getTime() + 60_000).toISOString() },
      })
      service.advance(60_001)
      await ended(pair, /^The macaroon expired at/)
    })
  })
})
