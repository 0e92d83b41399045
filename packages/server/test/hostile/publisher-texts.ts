/**
 * Input from the worst publisher tools: invented caveat ids and discharges, and correctly sealed or signed
 * ones with absurd contents.
 */
import { isUtf8 } from 'node:buffer'
import {
  addFirstPartyCaveat,
  addThirdPartyCaveat,
  encodeBase64,
  encodeBase64Url,
  encodeBinary,
  type Macaroon,
  mint,
} from '@ratafia/macaroon'
import { encodeCaveatId, generateKeyPair } from '@ratafia/macaroon/bakery'
import fc from 'fast-check'
import type { Account } from '../../src/accounts/account.ts'
import { addPublisher, caveatIdOf, decoded, logInWithPassword } from '../support/publishers.ts'
import { withSecondFactor } from '../support/second-factor.ts'
import type { TestService } from '../support/service.ts'
import { base64, conditions, damaged } from './requests.ts'

/** A login with a password, and the key that anyone can seal a caveat to. */
export interface PublisherSeeds {
  readonly account: Account
  /** An account that also has a second factor. */
  readonly careful: Account
  readonly root: Macaroon
  /** The unbound discharge. */
  readonly discharge: Macaroon
  readonly caveatId: string
  readonly publicKey: Uint8Array
}

export async function publisherSeeds(service: TestService): Promise<PublisherSeeds> {
  const { keyring } = service.installation
  const account = await addPublisher(service)
  const careful = await addPublisher(service)
  await withSecondFactor(service, careful)
  const pair = await logInWithPassword(service, account)
  const [{ publicKey }] = await keyring.dischargerKeyPairs()
  return {
    ...{ account, careful, root: decoded(pair.root), discharge: decoded(pair.discharge) },
    ...{ caveatId: caveatIdOf(pair.root), publicKey },
  }
}

/** Any string, including NUL, control characters and halves of surrogate pairs. */
export const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({
    maxLength: 30,
    unit: fc.oneof(
      fc.integer({ min: 0, max: 0x1f }).map((code) => String.fromCharCode(code)),
      fc.integer({ min: 0xd800, max: 0xdfff }).map((code) => String.fromCharCode(code)),
      fc.constantFrom('a', '@', '.', '+', '\u007f', '\u0130', '\uffff', "'", '%', '\\', '😀'),
    ),
  }),
  fc.constantFrom('', ' ', '__proto__', 'constructor', '\0', '\ud800', '1'.repeat(64), 'x'.repeat(8_000)),
)

export const anyValue = fc.oneof({ weight: 5, arbitrary: anyText }, fc.jsonValue({ maxDepth: 3 }))

const deep = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

/** The form that version 1 bakery clients use: base64 of JSON. */
const outerFields = fc
  .dictionary(
    fc.constantFrom('ThirdPartyPublicKey', 'FirstPartyPublicKey', 'Nonce', 'Id', '__proto__', 'x'),
    fc.oneof(
      base64(fc.uint8Array({ maxLength: 80 })),
      base64(fc.uint8Array({ minLength: 32, maxLength: 32 })),
      anyValue,
    ),
  )
  .map((value) => JSON.stringify(value))

/** The content of a login's caveat; anyone can seal one to the service. */
const sealedConditions = fc.oneof(
  fc
    .record(
      {
        location: fc.oneof(fc.constant('login.ubuntu.com'), anyValue),
        declare: fc.oneof(fc.constantFrom('userid', 'username', '__proto__'), anyValue),
        session: fc.oneof(fc.constant('11111111-1111-4111-8111-111111111111'), anyValue),
        since: fc.oneof(fc.constantFrom(0, 8.64e15, -1, 1e300), fc.jsonValue()),
        until: fc.oneof(fc.constantFrom(0, 8.64e15, 4e12, 1e300), fc.jsonValue()),
        description: fc.oneof(fc.constant(null), anyValue),
      },
      { requiredKeys: ['declare', 'session', 'location'] },
    )
    .map((wire) => `is-login-of-session ${JSON.stringify(wire)}`),
  fc.constantFrom(0, 30, 500).map((depth) => `is-login-of-session ${deep(depth)}`),
  conditions,
)

const rootKeys = fc.oneof(
  fc.constant(Buffer.alloc(24, 3)),
  fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
)
const stranger = generateKeyPair()

interface SealedCaveat {
  readonly id: Uint8Array
  readonly rootKey: Uint8Array
}

/** Versions of a caveat id. Other versions are rare: as text they name an unknown key, which takes time to look up. */
const versions = fc.integer({ min: -40, max: 3 }).map((n) => (n === 2 || n === 3 ? n : 1))

const sealedCaveats = ({ publicKey }: PublisherSeeds): fc.Arbitrary<SealedCaveat> =>
  fc.tuple(sealedConditions, rootKeys, versions).map(([condition, rootKey, version]) => ({
    rootKey,
    id: encodeCaveatId({
      version,
      condition: condition.toWellFormed(),
      rootKey,
      thirdPartyPublicKey: publicKey,
      firstParty: stranger,
    }),
  }))

export function caveatIds(seeds: PublisherSeeds): fc.Arbitrary<unknown> {
  const id = Buffer.from(seeds.caveatId)
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(seeds.caveatId) },
    damaged(id).map((bytes) => Buffer.from(bytes).toString('latin1')),
    base64(damaged(Buffer.from(seeds.caveatId, 'base64'))),
    base64(outerFields.map((text) => Buffer.from(text))),
    sealedCaveats(seeds).map((sealed) => Buffer.from(sealed.id).toString()),
    fc.constantFrom(10, 40, 2_000).map((depth) => encodeBase64(Buffer.from(deep(depth)))),
    fc.constantFrom(3_072, 3_073, 16_384, 49_000).map((length) => 'A'.repeat(length)),
    anyValue,
  )
}

/** A packet of a binary version 1 macaroon: four hexadecimal digits of length, a name, a value. */
export const packets = fc
  .array(
    fc.tuple(
      fc.constantFrom('location', 'identifier', 'cid', 'vid', 'cl', 'signature', '', '\0'),
      fc.oneof(
        fc.uint8Array({ maxLength: 60 }),
        fc.string({ maxLength: 40 }).map((text) => Buffer.from(text)),
      ),
      fc.constantFrom(0, 0, 0, 1, -1, 255, -5, 60_000),
    ),
    { maxLength: 12 },
  )
  .map((list) =>
    Buffer.concat(
      list.map(([name, value, lie]) => {
        const packet = Buffer.concat([Buffer.from(`${name} `), value, Buffer.from('\n')])
        const length = Math.min(0xffff, Math.max(0, packet.length + 4 + lie))
        return Buffer.concat([Buffer.from(length.toString(16).padStart(4, '0')), packet])
      }),
    ),
  )

/** Conditions of a discharge, in the service's own order and in others. */
const dischargeConditions = ({ account }: PublisherSeeds): fc.Arbitrary<string[]> => {
  const userid = fc.oneof(fc.constantFrom(account.id, account.username, '__proto__', '', 'x y'), anyText)
  const time = fc.oneof(
    fc.constantFrom('2099-01-01T00:00:00.000000Z', '0000-01-01T00:00:00Z', '+275760-09-13T00:00:00Z', '9e9'),
    anyText,
  )
  const own = fc
    .tuple(fc.constantFrom('userid', 'username', '__proto__', ''), userid, time, time)
    .map(([key, value, until, given]) => [
      `declared ${key} ${value}`.toWellFormed(),
      `time-before ${until}`.toWellFormed(),
      `time-since ${given}`.toWellFormed(),
    ])
  const more = fc.oneof(
    fc.array(conditions, { maxLength: 6 }),
    fc
      .constantFrom(124, 125, 126, 400)
      .map((count) => Array.from({ length: count }, (_, at) => `extra {"x":${at}}`)),
  )
  return fc
    .tuple(fc.oneof(own, fc.shuffledSubarray(['declared userid a', 'time-before x', ''])), more)
    .map((all) => all.flat())
}

export function discharges(seeds: PublisherSeeds): fc.Arbitrary<string> {
  const { discharge, root } = seeds
  // Correctly signed, for a caveat sealed by a stranger.
  const ours = fc
    .tuple(sealedCaveats(seeds), dischargeConditions(seeds), fc.boolean())
    .map(([{ id, rootKey }, list, binary]) => {
      const version = binary || !isUtf8(id) ? 2 : 1
      return list.reduce(addFirstPartyCaveat, mint({ rootKey, id, version, location: 'a' }))
    })
  const narrowed = fc
    .oneof(
      fc.array(conditions, { minLength: 1, maxLength: 6 }),
      fc.constant(Array<string>(125).fill('extra {}')),
    )
    .map((list) => list.reduce(addFirstPartyCaveat, discharge))
  const thirdParty = fc
    .uint8Array({ minLength: 1, maxLength: 20 })
    .map((bytes) => Buffer.from(Buffer.from(bytes).toString('hex')))
    .map((id) => addThirdPartyCaveat(discharge, { rootKey: Buffer.alloc(24, 1), id, location: 'b' }))
  const notText = fc
    .uint8Array({ minLength: 1, maxLength: 40 })
    .map((id) => mint({ rootKey: Buffer.alloc(24, 3), id: Buffer.from(id), version: 2 }))
    .map((macaroon) => addFirstPartyCaveat(macaroon, Buffer.of(0xff, 0xfe)))
  return fc.oneof(
    fc.oneof(ours, narrowed, thirdParty, notText).map((macaroon) => encodeBase64Url(encodeBinary(macaroon))),
    base64(damaged(encodeBinary(discharge))),
    base64(packets),
    fc.constant(encodeBase64Url(encodeBinary(root))),
    base64(fc.constant(encodeBinary(discharge, discharge))),
    fc
      .constantFrom(48 * 1024, 60_000)
      .map((length) => encodeBase64Url(Buffer.alloc(length, '0')))
      .map((text) => text.slice(0, 60_000)),
  )
}
