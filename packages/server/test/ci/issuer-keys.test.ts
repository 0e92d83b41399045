/**
 * Tests that all nodes share issuers' keys, fetch them again when needed, and keep them in an outage (contract/oidc.md,
 * A18).
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { readIdToken } from '../../src/ci/id-token/read.ts'
import { addIssuer } from '../../src/ci/issuers/add.ts'
import { issuerKeyAges } from '../../src/ci/issuers/find.ts'
import { knownKeys } from '../../src/ci/issuers/keys/known-keys.ts'
import { refreshOldKeys } from '../../src/ci/issuers/keys/refresh-keys.ts'
import { refreshIssuer } from '../../src/ci/issuers/refresh.ts'
import { verifyByIssuer } from '../../src/ci/issuers/verify-by-issuer.ts'
import { ExchangeRefusal, KeysUnavailable } from '../../src/ci/refusal.ts'
import type { Database } from '../../src/database/index.ts'
import { documentFetcher } from '../../src/http/outgoing/documents.ts'
import { deciding } from '../support/authorities.ts'
import { eachDatabase } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { storesOf } from '../support/stores.ts'
import { newKeyPair, signToken, testIssuer } from '../support/test-issuer.ts'

const AUDIENCE = 'https://store.example.org'
const MINUTE = 60_000
const HOUR = 60 * MINUTE

eachDatabase((_kind, open) => {
  let offset = 0
  const clock = () => new Date(Date.now() + offset)
  const wait = (milliseconds: number) => {
    offset += milliseconds
  }
  const nodeOn = (database: Database) => {
    const fetchDocument = documentFetcher()
    const deps = storesOf(database, { clock, fetchDocument })
    const keys = knownKeys(deps)
    return {
      deps,
      async verify(text: string) {
        const token = readIdToken(text)
        const found = await deps.issuers.findByUrl(token.unverifiedIssuer)
        assert.ok(found, 'the issuer is known')
        return verifyByIssuer(token, found, { keys, audience: AUDIENCE, clock })
      },
    }
  }
  type Node = ReturnType<typeof nodeOn>
  let one: Node
  let two: Node
  before(async () => {
    one = nodeOn(await open())
    two = nodeOn(await open())
  })

  const refusedAs = (reason: string) => (error: unknown) => {
    assert.ok(error instanceof ExchangeRefusal, String(error))
    assert.equal(error.reason, reason)
    return true
  }
  const away = (why: RegExp) => (error: unknown) => {
    assert.ok(error instanceof KeysUnavailable, String(error))
    assert.match(error.message, why)
    return true
  }
  const FETCH = ['/.well-known/openid-configuration', '/keys']
  /** Adds an issuer for a suite before its tests. */
  const addedIssuer = () => {
    const issuer = testIssuer()
    before(async () => {
      await addIssuer({ url: issuer.url, kind: 'generic', authority: deciding() }, one.deps)
      issuer.forgetRequests()
    })
    return {
      issuer,
      token: (key = issuer.key) => issuer.sign({ aud: AUDIENCE, sub: 'job' }, { now: clock(), key }),
      /** Returns the requests since the last call. */
      asked: () => {
        const { requests } = issuer
        issuer.forgetRequests()
        return requests
      },
    }
  }
  const refreshes = async (url: string) =>
    (await one.deps.audit.list({ action: 'issuer.refresh' }, { limit: 100 })).filter(
      ({ subject }) => subject === url,
    ).length

  describe('rotation', () => {
    const { issuer, token, asked } = addedIssuer()

    test('known keys do not cause a request to the issuer, on either node', async () => {
      for (const node of [one, two]) assert.equal((await node.verify(token())).claims['sub'], 'job')
      assert.deepEqual(asked(), [])
    })

    test('an unknown key is fetched once, while all nodes and requests wait for it', async () => {
      wait(MINUTE)
      await issuer.rotate()
      const tokens = Array.from({ length: 20 }, () => token())
      await Promise.all(tokens.map((text, at) => (at % 2 === 0 ? one : two).verify(text)))
      assert.deepEqual(asked(), FETCH)
      assert.equal(await refreshes(issuer.url), 1)
    })

    test('a key that the issuer removed from its set is refused from then on', async () => {
      const old = issuer.key
      await issuer.rotate()
      wait(MINUTE)
      await one.verify(token())
      assert.deepEqual(asked(), FETCH)
      for (const node of [one, two]) {
        await assert.rejects(node.verify(token(old)), refusedAs('key-unknown'))
      }
      assert.deepEqual(asked(), [])
    })

    test('there is no second fetch within a minute, even for tokens with different keys', async () => {
      const stranger = await newKeyPair('ES256', 'stranger')
      const forged = { ...stranger, kid: issuer.key.kid }
      for (let times = 0; times < 3; times++) {
        await assert.rejects(one.verify(token(stranger)), refusedAs('key-unknown'))
        await assert.rejects(two.verify(token(forged)), refusedAs('signature'))
      }
      assert.deepEqual(asked(), [])
      wait(MINUTE)
      await Promise.all(
        [one, two, one, two].map((node) =>
          assert.rejects(node.verify(token(forged)), refusedAs('signature')),
        ),
      )
      assert.deepEqual(asked(), FETCH)
      await assert.rejects(two.verify(token(stranger)), refusedAs('key-unknown'))
      assert.deepEqual(asked(), [])
    })

    test('a replaced key with the same id, as in Jenkins, is noticed by its signature', async () => {
      const old = issuer.key
      await issuer.rotate({ kid: old.kid })
      wait(MINUTE)
      await one.verify(token())
      await two.verify(token())
      assert.deepEqual(asked(), FETCH)
      await assert.rejects(two.verify(token(old)), refusedAs('signature'))
    })

    test('a fetch without a change leaves no audit entry and no new revision', async () => {
      const before = await one.deps.issuers.findByUrl(issuer.url)
      const entries = await refreshes(issuer.url)
      const { changed } = await refreshIssuer({ issuer: issuer.url, authority: deciding() }, one.deps)
      assert.equal(changed, false)
      const after = await two.deps.issuers.findByUrl(issuer.url)
      assert.equal(after?.keys.revision, before?.keys.revision)
      assert.ok(after && before && after.keys.fetchedAt > before.keys.fetchedAt)
      assert.equal(await refreshes(issuer.url), entries)
    })

    test('a token that is invalid for a different reason does not cause a fetch', async () => {
      wait(2 * MINUTE)
      asked()
      const bad = [
        [{ aud: 'https://other.example' }, {}, 'audience'],
        [{ aud: AUDIENCE, exp: 1 }, {}, 'expired'],
        [{ aud: AUDIENCE }, { alg: 'none' }, 'algorithm'],
        [{ aud: AUDIENCE }, { typ: 'at+jwt' }, 'type'],
      ] as const
      for (const [claims, header, reason] of bad) {
        await assert.rejects(one.verify(issuer.sign(claims, { now: clock(), header })), refusedAs(reason))
      }
      assert.deepEqual(asked(), [])
    })

    test('keys read during a change are not cached under the previous revision', async () => {
      const find = async () => (await one.deps.issuers.findByUrl(issuer.url)) ?? assert.fail()
      const found = await find()
      const before = (await one.deps.issuerKeys.read(found.issuer.id)) ?? assert.fail()
      const { key } = issuer
      await issuer.rotate()
      await refreshIssuer({ issuer: issuer.url, authority: deciding() }, one.deps)
      // A node that found the issuer a moment earlier.
      const keys = knownKeys(one.deps)
      assert.notEqual((await keys.of(found))?.revision, found.keys.revision)
      const at = clock()
      await one.deps.issuerKeys.begin(found.issuer.id, at, { afterAny: 0, afterFailure: 0 })
      assert.ok(await one.deps.issuerKeys.succeed(found.issuer.id, at, before))
      const known = await keys.of(await find())
      assert.deepEqual(
        known?.keys.map(({ kid }) => kid),
        [key.kid],
      )
      await refreshIssuer({ issuer: issuer.url, authority: deciding() }, one.deps)
    })

    test('a node waits for the fetch of another', async () => {
      wait(MINUTE)
      await issuer.rotate()
      const { asked: begun, release } = issuer.hold()
      const first = one.verify(token())
      await begun
      const second = two.verify(token())
      asked()
      release()
      await Promise.all([first, second])
      assert.deepEqual(asked(), FETCH.slice(1))
    })
  })

  describe('a flood while the keys are being fetched', () => {
    const { issuer, token } = addedIssuer()

    test('a few hundred requests wait, and the others get an error at once', async () => {
      wait(MINUTE)
      const unknown = token(await newKeyPair('ES256', 'stranger'))
      const { asked: begun, release } = issuer.hold()
      const first = one.verify(unknown)
      await begun
      let told = 0
      const others = Array.from({ length: 1000 }, () =>
        one.verify(unknown).catch((error: unknown) => {
          if (error instanceof KeysUnavailable) told += 1
          else assert.ok(error instanceof ExchangeRefusal, String(error))
        }),
      )
      await eventually('most of them get an error', () => told >= 600)
      // Known keys do not wait.
      await one.verify(token())
      release()
      await assert.rejects(first, refusedAs('key-unknown'))
      await Promise.all(others)
      assert.ok(told < 1000, String(told))
    })
  })

  describe('an outage', () => {
    const { issuer, token, asked } = addedIssuer()
    const stranger = newKeyPair('ES256', 'stranger')

    test('known keys are used for 24 hours, and an unknown key is only reported as unknown', async () => {
      issuer.behave('away')
      wait(HOUR)
      await assert.rejects(one.verify(token(await stranger)), away(/the connection broke/))
      assert.deepEqual(asked(), FETCH.slice(0, 1))
      for (const node of [one, two]) await node.verify(token())
      const forged = { ...(await stranger), kid: issuer.key.kid }
      await assert.rejects(two.verify(token(forged)), refusedAs('signature'))
      assert.deepEqual(asked(), [])
      wait(22 * HOUR)
      await two.verify(token())
    })

    test('after a failure there is a pause of 30 seconds', async () => {
      asked()
      const unknown = token(await stranger)
      await assert.rejects(one.verify(unknown), away(/the connection broke/))
      assert.equal(asked().length, 1)
      wait(MINUTE / 2 - 5_000)
      for (const node of [one, two]) await assert.rejects(node.verify(unknown), away(/the connection broke/))
      assert.equal(asked().length, 0)
      wait(5_000)
      await assert.rejects(two.verify(unknown), away(/the connection broke/))
      assert.equal(asked().length, 1)
    })

    test('after 24 hours, no key is used until the issuer answers again', async () => {
      wait(HOUR)
      for (const node of [one, two]) await assert.rejects(node.verify(token()), away(/the connection broke/))
      issuer.behave('well')
      await assert.rejects(two.verify(token()), away(/the connection broke/))
      wait(MINUTE / 2)
      for (const node of [one, two]) await node.verify(token())
      assert.deepEqual(asked().slice(1), FETCH)
    })

    test('a document of another issuer counts as an outage, and the last good keys stay', async () => {
      issuer.publish({ document: { issuer: 'https://gitlab.com' } })
      wait(HOUR)
      await assert.rejects(
        one.verify(token(await stranger)),
        away(/names the issuer "https:\/\/gitlab\.com"/),
      )
      for (const node of [one, two]) await node.verify(token())
      issuer.publish({ document: {} })
    })

    test('nodes wait for a node that died during a fetch at most as long as a fetch takes', async () => {
      wait(HOUR)
      const { id } = (await one.deps.issuers.findByUrl(issuer.url))?.issuer ?? assert.fail()
      assert.ok(await one.deps.issuerKeys.begin(id, clock(), { afterAny: 0, afterFailure: 0 }))
      wait(15_000)
      await assert.rejects(two.verify(token(await stranger)), away(/the fetch did not finish/))
      wait(45_000)
      await assert.rejects(two.verify(token(await stranger)), refusedAs('key-unknown'))
    })

    test('a fetch that a later one has overtaken does not store its keys', async () => {
      wait(HOUR)
      const { issuers, issuerKeys } = one.deps
      const find = async () => (await issuers.findByUrl(issuer.url)) ?? assert.fail()
      const { id } = (await find()).issuer
      const keys = (await issuerKeys.read(id)) ?? assert.fail()
      const first = clock()
      assert.ok(await issuerKeys.begin(id, first, { afterAny: 0, afterFailure: 0 }))
      wait(1000)
      const second = clock()
      assert.ok(await issuerKeys.begin(id, second, { afterAny: 0, afterFailure: 0 }))
      assert.equal(await issuerKeys.succeed(id, first, keys), false)
      await issuerKeys.fail(id, first, 'it came late')
      const { fetchedAt, failure } = (await find()).keys
      assert.ok(fetchedAt < first)
      assert.equal(failure, undefined)
      assert.ok(await issuerKeys.succeed(id, second, keys))
    })

    test('keys from a clock that was ahead are not fresh, and do not block other nodes', async () => {
      const { id } = (await one.deps.issuers.findByUrl(issuer.url))?.issuer ?? assert.fail()
      const ahead = new Date(clock().getTime() + 365 * 24 * HOUR)
      const { issuerKeys } = one.deps
      assert.ok(await issuerKeys.begin(id, ahead, { afterAny: 0, afterFailure: 0 }))
      assert.ok(await issuerKeys.succeed(id, ahead, (await issuerKeys.read(id)) ?? assert.fail()))
      asked()
      await two.verify(token())
      assert.deepEqual(asked(), FETCH)
    })
  })

  describe('the hourly job', () => {
    const { issuer, token, asked } = addedIssuer()
    const failed: string[][] = []
    const run = async (node: Node, goOn = async () => true) => {
      await refreshOldKeys({ ...node.deps, goOn, onFailed: (...failure) => failed.push(failure) })
      return failed.splice(0).filter(([url]) => url === issuer.url)
    }

    test('fetches keys that are older than an hour, on one node', async () => {
      // This also fetches the keys of the other suites.
      await run(one)
      asked()
      wait(HOUR - MINUTE)
      await run(one)
      assert.deepEqual(asked(), [])
      const old = issuer.key
      await issuer.rotate()
      wait(MINUTE)
      await Promise.all([run(one), run(two)])
      assert.deepEqual(asked(), FETCH)
      await two.verify(token())
      await assert.rejects(one.verify(token(old)), refusedAs('key-unknown'))
    })

    test('reports an issuer that does not answer once, and retries every minute', async () => {
      issuer.behave('failing')
      wait(HOUR + MINUTE)
      const [[url, why] = [], ...more] = await run(two)
      assert.deepEqual([url, more], [issuer.url, []])
      assert.match(String(why), /status 500/)
      asked()
      wait(MINUTE)
      assert.deepEqual(await run(two), [])
      assert.equal(asked().length, 1)
      issuer.behave('well')
      wait(MINUTE)
      await run(one)
      assert.deepEqual(asked(), FETCH)
      wait(2 * MINUTE)
      const [age] = (await issuerKeyAges(one.deps)).filter((one) => one.issuer === issuer.url)
      assert.ok(age && age.age >= 120 && age.age < 3600, JSON.stringify(age))
    })

    test('stops when requested', async () => {
      wait(2 * HOUR)
      asked()
      await run(one, async () => false)
      assert.deepEqual(asked(), [])
    })
  })

  describe('pinned keys of an unreachable cluster', () => {
    const url = 'https://kubernetes.default.svc.cluster.local'
    const cluster = newKeyPair('RS256', 'cluster')
    const other = newKeyPair('RS256', 'other')
    const jwksOf = async (...keys: readonly Promise<{ jwk: object }>[]) =>
      JSON.stringify({ keys: (await Promise.all(keys)).map(({ jwk }) => jwk) })
    const tokenBy = async (by: typeof cluster) => {
      const key = await by
      const iat = Math.floor(clock().getTime() / 1000)
      const claims = {
        iss: url,
        aud: [AUDIENCE],
        iat,
        exp: iat + 600,
        sub: 'system:serviceaccount:ci:release',
      }
      return signToken({ alg: 'RS256', kid: key.kid }, claims, key)
    }
    const never = { fetchDocument: () => assert.fail('nothing is fetched') }
    before(async () => {
      one = { ...one, deps: { ...one.deps, ...never } }
      await addIssuer(
        { url, kind: 'kubernetes', jwks: await jwksOf(cluster), authority: deciding() },
        one.deps,
      )
    })

    test('never expire and are never fetched', async () => {
      await two.verify(await tokenBy(cluster))
      wait(365 * 24 * HOUR)
      await two.verify(await tokenBy(cluster))
      await refreshOldKeys({
        ...{ ...one.deps, issuers: { ...one.deps.issuers, list: async () => pinned() } },
        ...{ goOn: async () => true, onFailed: assert.fail },
      })
      assert.deepEqual(
        (await issuerKeyAges(one.deps)).filter(({ issuer }) => issuer === url),
        [],
      )
    })
    const pinned = async () => (await one.deps.issuers.list()).filter(({ issuer }) => issuer.url === url)

    test('exclude every other key, without reporting an outage', async () => {
      await assert.rejects(two.verify(await tokenBy(other)), refusedAs('key-unknown'))
      const forged = Promise.resolve({ ...(await other), kid: 'cluster' })
      await assert.rejects(two.verify(await tokenBy(forged)), refusedAs('signature'))
    })

    test('can be replaced by an operator, on every node', async () => {
      await assert.rejects(
        refreshIssuer({ issuer: url, authority: deciding() }, one.deps),
        /were given in a file\. Pass the new ones/,
      )
      const jwks = await jwksOf(other)
      const refreshed = await refreshIssuer({ issuer: url, jwks, authority: deciding() }, one.deps)
      assert.equal(refreshed.changed, true)
      await two.verify(await tokenBy(other))
      await assert.rejects(two.verify(await tokenBy(cluster)), refusedAs('key-unknown'))
      assert.equal(await refreshes(url), 1)
    })

    test('do not change if a file without a usable key is refused', async () => {
      for (const [jwks, message] of [
        ['{"keys":[]}', /no key that can verify/],
        ['{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}', /no key that can verify/],
        ['[]', /not a JSON Web Key Set/],
        ['-----BEGIN PUBLIC KEY-----', /not a JSON Web Key Set/],
      ] as const) {
        await assert.rejects(refreshIssuer({ issuer: url, jwks, authority: deciding() }, one.deps), message)
        const added = addIssuer(
          { url: 'https://other.example', kind: 'kubernetes', jwks, authority: deciding() },
          one.deps,
        )
        await assert.rejects(added, message)
      }
      await two.verify(await tokenBy(other))
    })
  })
})
