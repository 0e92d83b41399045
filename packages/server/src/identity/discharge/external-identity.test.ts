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

  test('the key, the version and the summary come from /discharge/info; the location has no trailing slash', async () => {
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

  test('without /discharge/info the key comes from /publickey, and the version is 1', async () => {
    answer = (url) =>
      url.endsWith('/publickey')
        ? Response.json({ PublicKey: KEY.toString('base64url') })
        : new Response('', { status: 404 })
    const party = await service()()
    assert.equal(party.version, 1)
    assert.equal(party.acceptsSummary, false)
    assert.deepEqual(Buffer.from(party.publicKey), KEY)
  })

  test('the answer is kept for five minutes, then a rotated key is noticed', async () => {
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

  test('fifty requests at once fetch it once', async () => {
    const identity = service()
    await Promise.all(Array.from({ length: 50 }, () => identity()))
    assert.equal(asked.length, 1)
  })

  test('while the service is away the last answer is used for an hour, then it is Unavailable', async () => {
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

  test('a service that fails is asked again after five seconds, not for every request', async () => {
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
    ['a key of another length', () => Response.json({ PublicKey: 'AAAA', Version: 3 }), /32 bytes/],
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
    test(`${what} is not an answer`, async () => {
      answer = response
      await assert.rejects(service()(), unavailable(why))
    })
  }

  test('an endless answer is not read to the end', async () => {
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

  test('a pinned key is used whatever the service reports, and while it cannot be reached', async () => {
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
    test(`${url} is refused: someone on the way could replace the key`, () => {
      assert.throws(() => service({ url }), TypeError)
    })
  }
  for (const url of [
    'http://localhost:8081',
    'http://127.0.0.1:1/identity',
    'http://[::1]:8081',
    'https://id.example.org',
  ]) {
    test(`${url} is accepted`, () => assert.ok(service({ url })))
  }
})
