import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { setImmediate as tick } from 'node:timers/promises'
import { Unavailable } from '../../errors.ts'
import { type ExternalIdentityOptions, externalIdentity } from './external-identity.ts'

const KEY = Buffer.alloc(32, 7)
const OTHER = Buffer.alloc(32, 9)
const info = (key: Buffer, more: object = {}) => ({ PublicKey: key.toString('base64'), Version: 3, ...more })

let now: number
let asked: string[]
let answer: (url: string) => Response | Promise<Response>

suite('an external identity service', () => {
  beforeEach(() => {
    now = 0
    asked = []
    answer = () => Response.json(info(KEY))
  })

  const service = (options: Partial<ExternalIdentityOptions> = {}) =>
    externalIdentity({
      url: 'https://id.example.org/identity/',
      clock: () => new Date(now),
      fetch: async (url, init) => {
        asked.push(url)
        assert.equal(init.redirect, 'manual')
        assert.ok(init.signal)
        return answer(url)
      },
      ...options,
    })

  const minutes = (count: number) => {
    now += count * 60_000
  }
  const unavailable = (why: RegExp) => (error: unknown) =>
    error instanceof Unavailable && why.test(error.message)

  test('reads key, version and summary from /discharge/info, and removes the trailing slash of the location', async () => {
    answer = () => Response.json(info(KEY, { RequestSummary: true }))
    const party = await service()()
    assert.deepEqual(asked, ['https://id.example.org/identity/discharge/info'])
    assert.deepEqual(
      { ...party, publicKey: Buffer.from(party.publicKey) },
      {
        ...{ location: 'https://id.example.org/identity', publicKey: KEY, version: 3 },
        ...{
          acceptsSummary: true,
          declaresSignIn: false,
          passwordLogins: false,
          loginHost: 'id.example.org',
        },
      },
    )
  })

  test('reads the key from /publickey if there is no /discharge/info, and uses version 1', async () => {
    answer = (url) =>
      url.endsWith('/publickey')
        ? Response.json({ PublicKey: KEY.toString('base64url') })
        : new Response('', { status: 404 })
    const party = await service()()
    assert.equal(party.version, 1)
    assert.equal(party.acceptsSummary, false)
    assert.deepEqual(Buffer.from(party.publicKey), KEY)
  })

  test('keeps the answer for five minutes, and then notices a rotated key', async () => {
    const identity = service()
    await identity()
    minutes(4)
    await identity()
    assert.equal(asked.length, 1)
    answer = () => Response.json(info(OTHER, { Version: 2 }))
    minutes(1)
    const party = await identity()
    assert.deepEqual([Buffer.from(party.publicKey), party.version], [OTHER, 2])
  })

  test('fetches the key once for fifty simultaneous requests', async () => {
    const identity = service()
    await Promise.all(Array.from({ length: 50 }, () => identity()))
    assert.equal(asked.length, 1)
  })

  test('uses the last answer for an hour while the service is unavailable, and then throws Unavailable', async () => {
    const identity = service()
    await identity()
    answer = () => Promise.reject(new TypeError('fetch failed'))
    minutes(59)
    assert.deepEqual(Buffer.from((await identity()).publicKey), KEY)
    minutes(1)
    await assert.rejects(
      identity(),
      unavailable(/id\.example\.org\/identity cannot be used: it cannot be reached/),
    )
    answer = () => Response.json(info(OTHER))
    minutes(1)
    assert.deepEqual(Buffer.from((await identity()).publicKey), OTHER)
  })

  test('asks a failing service again after five seconds, not for every request', async () => {
    const identity = service()
    answer = () => new Response('', { status: 502 })
    await assert.rejects(identity(), unavailable(/status 502/))
    await assert.rejects(identity(), unavailable(/status 502/))
    assert.equal(asked.length, 1)
    now += 5_000
    await assert.rejects(identity())
    assert.equal(asked.length, 2)
  })

  const refusals: readonly [string, () => Response, RegExp][] = [
    [
      'a redirect elsewhere',
      () => new Response('', { status: 302, headers: { location: 'https://evil' } }),
      /302/,
    ],
    ['text', () => new Response('hello'), /not JSON/],
    ['a list', () => Response.json([]), /not a JSON object/],
    ['a key of a different length', () => Response.json({ PublicKey: 'AAAA', Version: 3 }), /32 bytes/],
    [
      'a key with garbage in it',
      () => Response.json(info(KEY, { PublicKey: `!${KEY.toString('base64')}` })),
      /32 bytes/,
    ],
    ['no key', () => Response.json({ Version: 3 }), /32 bytes/],
    ['a version that is not a number', () => Response.json(info(KEY, { Version: '3' })), /version/],
    ['too much', () => new Response('x'.repeat(20_000)), /more than 16384 bytes/],
  ]
  for (const [what, response, why] of refusals) {
    test(`refuses ${what} as an answer`, async () => {
      answer = response
      await assert.rejects(service()(), unavailable(why))
    })
  }

  test('stops reading an endless answer', async () => {
    let cancelled = false
    answer = () =>
      new Response(
        new ReadableStream({
          pull: async (controller) => {
            await tick()
            controller.enqueue(new Uint8Array(4096))
          },
          cancel: () => {
            cancelled = true
          },
        }),
      )
    await assert.rejects(service()(), unavailable(/more than/))
    assert.ok(cancelled)
  })

  test('uses a pinned key whatever the service reports, and while it cannot be reached', async () => {
    answer = () => Response.json(info(OTHER, { RequestSummary: true }))
    const pinned = service({ pinnedPublicKey: KEY })
    assert.deepEqual(
      { ...(await pinned()) },
      {
        location: 'https://id.example.org/identity',
        publicKey: KEY,
        version: 3,
        acceptsSummary: true,
        declaresSignIn: false,
        passwordLogins: false,
        loginHost: 'id.example.org',
      },
    )
    answer = () => Promise.reject(new TypeError('fetch failed'))
    const away = await service({ pinnedPublicKey: KEY })()
    assert.deepEqual([away.publicKey, away.version, away.acceptsSummary], [KEY, 2, false])
  })

  for (const url of [
    'http://id.example.org',
    'http://10.0.0.1',
    'ftp://localhost',
    'https://u:p@id.example.org',
    'https://x/?a',
  ]) {
    test(`refuses ${url}, because an attacker on the network could replace the key`, () => {
      assert.throws(() => service({ url }), TypeError)
    })
  }
  for (const url of [
    'http://localhost:8081',
    'http://127.0.0.1:1/identity',
    'http://[::1]:8081',
    'https://id.example.org',
  ]) {
    test(`accepts ${url}`, () => assert.ok(service({ url })))
  }
})
