/** Properties of the condition that is sealed in the caveat of a password login. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newSessionId } from '@ratafia/api'
import { DEFAULT_LIMITS } from '@ratafia/macaroon'
import { encodeCaveatId, generateKeyPair } from '@ratafia/macaroon/bakery'
import fc from 'fast-check'
import { formatLoginCaveat, type LoginCaveat, parseLoginCaveat } from './login-caveat.ts'

const time = fc.date({ min: new Date(0), max: new Date(8.64e15), noInvalidDate: true })
const description = fc
  .string({ unit: 'grapheme', maxLength: 512 })
  .map((text) => text.slice(0, 512).toWellFormed())

const list = fc.option(
  fc.array(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 128 }), {
    minLength: 1,
    maxLength: 12,
  }),
)
const limits = fc.record(
  { permissions: list, channels: list, packages: list, storeIds: list },
  { noNullPrototype: true },
)

const caveat: fc.Arbitrary<LoginCaveat> = fc.record({
  location: fc.stringMatching(/^[!-~]{1,255}$/),
  declare: fc.constantFrom('userid' as const, 'username' as const),
  session: fc.constant(newSessionId()),
  since: time,
  until: time,
  description: fc.option(description, { nil: undefined }),
  limits: fc.option(limits, { nil: undefined }),
})

test('reads what it wrote, except that a description can be shortened and limits left out', () => {
  fc.assert(
    fc.property(caveat, (written) => {
      const read = parseLoginCaveat(formatLoginCaveat(written))
      const { limits: left = written.limits } = read ?? {}
      assert.deepEqual(left, written.limits)
      const rest = { description: undefined, limits: undefined }
      assert.deepEqual({ ...read, ...rest }, { ...written, ...rest })
      const [was, is] = [written.description, read?.description]
      assert.ok(
        was === is || (is?.endsWith('…') && was?.startsWith(is.slice(0, -1))),
        JSON.stringify({ was, is }),
      )
    }),
  )
})

test('the caveat id fits into a macaroon, whatever the description is', () => {
  const [ours, theirs] = [generateKeyPair(), generateKeyPair()]
  const worst = ['\0', '"', '\\', '\ud7ff', '😀', '\u2028'].map((character) =>
    character.repeat(512).slice(0, 512),
  )
  fc.assert(
    fc.property(fc.oneof(description, fc.constantFrom(...worst)), caveat, (text, written) => {
      const id = encodeCaveatId({
        version: 1,
        condition: formatLoginCaveat({ ...written, location: 'a'.repeat(255), description: text }),
        rootKey: Buffer.alloc(24, 1),
        thirdPartyPublicKey: theirs.publicKey,
        firstParty: ours,
      })
      assert.ok(id.length <= DEFAULT_LIMITS.idBytes, `${id.length} bytes`)
    }),
  )
})

test('includes the limits that snapcraft asks for, with a short description, but not a long list', () => {
  const written = {
    ...({ location: 'store.example.org', declare: 'userid', session: newSessionId() } as const),
    ...{ since: new Date(0), until: new Date(1), description: 'snapcraft@a-computer' },
  }
  const none = { permissions: null, channels: null, packages: null, storeIds: null }
  const names = ['access', 'manage', 'metrics', 'push', 'register', 'release', 'update']
  const usual = { ...none, permissions: names.map((name) => `package_${name}`), channels: ['edge', '*/edge'] }
  const told = (limits: LoginCaveat['limits']) =>
    parseLoginCaveat(formatLoginCaveat({ ...written, limits }))?.limits
  assert.deepEqual(told(usual), usual)
  assert.deepEqual(told(none), none)
  const long = { ...none, packages: Array.from({ length: 100 }, (_, at) => `package-${at}`) }
  assert.equal(told(long), undefined)
})

test('any other text is either refused or equal to one that could have been written', () => {
  const wire = fc.record(
    {
      location: fc.oneof(fc.constant('a.example'), fc.jsonValue()),
      declare: fc.oneof(fc.constant('userid'), fc.jsonValue()),
      session: fc.oneof(fc.constant(newSessionId()), fc.jsonValue()),
      since: fc.oneof(fc.constantFrom(0, 8.64e15, 8.64e15 + 1, -1, 0.5), fc.jsonValue()),
      until: fc.oneof(fc.constantFrom(0, 8.64e15, 1e300), fc.jsonValue()),
      description: fc.oneof(fc.constant(null), fc.jsonValue()),
      limits: fc.oneof(fc.constant({ permissions: ['a'] }), fc.jsonValue()),
      __proto__: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json().map((text) => `is-login-of-session ${text}`),
    wire.map((value) => `is-login-of-session ${JSON.stringify(value)}`),
    fc.nat({ max: 20_000 }).map((depth) => `is-login-of-session ${'['.repeat(depth)}`),
  )
  fc.assert(
    fc.property(texts, (text) => {
      const read = parseLoginCaveat(text)
      if (read === undefined) return
      assert.ok(Number.isFinite(read.since.getTime()) && Number.isFinite(read.until.getTime()))
      assert.match(read.location, /^[!-~]{1,255}$/)
      assert.equal(parseLoginCaveat(formatLoginCaveat(read))?.session, read.session)
    }),
  )
})
