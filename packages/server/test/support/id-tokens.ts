/**
 * Creates ID tokens from the vectors of OpenID Connect (../vectors/oidc): the claims of a base with the changes of a
 * case, signed with a key of the tests. All issuers share one key set.
 */
import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { Claims } from '../../src/ci/id-token/id-token.ts'
import { type Issuer, LONGEST_LIFE } from '../../src/ci/issuers/issuer.ts'
import type { KindName } from '../../src/ci/issuers/kinds.ts'

export interface TokenCase {
  readonly id: string
  /** The name of a claim set. */
  readonly base: string
  /** Names of rules, separated by ` + `. */
  readonly rule: string
  readonly set?: Claims
  readonly remove?: readonly string[]
  readonly header?: Readonly<Record<string, unknown>>
  readonly clock?: string
  readonly signature?: string
  readonly request?: Readonly<Record<string, unknown>>
  /** `granted`, or the code or the status of the answer. */
  readonly expect: string
  readonly reason: string
  readonly why: string
}

export interface RuleCase {
  readonly id: string
  readonly rule: {
    readonly kind: KindName
    readonly match: Readonly<Record<string, unknown>>
    readonly grants?: Readonly<Record<string, unknown>>
  }
  readonly expect: string
  readonly why: string
}

export interface VectorRule {
  readonly name: string
  readonly kind: KindName
  readonly issuer: string
  readonly match: Readonly<Record<string, unknown>>
  readonly grants: {
    readonly permissions: readonly string[]
    readonly packages: readonly { readonly name: string }[]
    readonly channels: readonly string[]
  }
  readonly audience?: string
  readonly other_audiences?: readonly string[]
  readonly names_can_be_reused?: 'accepted'
}

export interface ClaimSet {
  readonly kind: KindName
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Claims
}

interface OidcVectors {
  readonly audience: string
  readonly token: readonly TokenCase[]
  readonly rule: readonly RuleCase[]
  readonly rules: ReadonlyMap<string, VectorRule>
  readonly claimSets: ReadonlyMap<string, ClaimSet>
}

const FOLDER = new URL('../vectors/oidc/', import.meta.url)
const parse = (path: string) => JSON.parse(readFileSync(new URL(path, FOLDER), 'utf8'))

let vectors: OidcVectors | undefined

export function oidcVectors(): OidcVectors {
  vectors ??= readVectors()
  return vectors
}

function readVectors(): OidcVectors {
  const { token, rule } = parse('attacks.json')
  const { audience, rules } = parse('rules.json')
  const named = Object.keys(rules).map((name) => [name, { name, ...rules[name] }] as const)
  const claimSets = readdirSync(new URL('claims/', FOLDER)).map(
    (file) => [file.replace('.json', ''), parse(`claims/${file}`)] as const,
  )
  return { audience, token, rule, rules: new Map(named), claimSets: new Map(claimSets) }
}

/** Returns the rules of a case, which has one or two. */
export function rulesOf(name: string): readonly VectorRule[] {
  return name.split(' + ').map(ruleNamed)
}

export const ruleNamed = (name: string): VectorRule =>
  oidcVectors().rules.get(name) ?? assert.fail(`there is no rule ${name} in the vectors`)

export const caseNamed = (id: string): TokenCase =>
  oidcVectors().token.find((one) => one.id === id) ?? assert.fail(`there is no case ${id} in the vectors`)

/** Returns the issuer that an operator would have added for the rule. */
export function issuerOf({ kind, issuer, audience, ...rule }: Omit<VectorRule, 'grants' | 'name' | 'match'>) {
  return {
    id: `id of ${issuer}`,
    url: issuer,
    kind,
    settings: {
      audience: audience ?? null,
      otherAudiences: rule.other_audiences ?? [],
      privateAddresses: [],
      stableClaims: null,
      namesCanBeReused: rule.names_can_be_reused === 'accepted',
      longestLife: LONGEST_LIFE.standard,
    },
    createdAt: new Date(0),
  } satisfies Issuer
}

// Keys

const rsaKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
let made: { readonly rsa: KeyPair; readonly replaced: KeyPair; readonly ec: KeyPair } | undefined
interface KeyPair {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

/**
 * Returns the keys of the tests, which are generated once in a process. `replaced` replaces `rsa` under the same kid.
 */
export function testKeys() {
  made ??= { rsa: rsaKey(), replaced: rsaKey(), ec: generateKeyPairSync('ec', { namedCurve: 'P-256' }) }
  return made
}

/** The key ids of the RSA key. Jenkins uses the name of a credential. */
const KIDS = ['test-key', 'store-credential']

/** Returns the JSON Web Key Set of every issuer: RSA keys with the `alg` RS256, and `ec-key` for ES256. */
export function testKeySet({ replaced = false }: { readonly replaced?: boolean } = {}): string {
  const { rsa, replaced: next, ec } = testKeys()
  const { publicKey } = replaced ? next : rsa
  const jwk = { ...publicKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' }
  const keys = KIDS.map((kid) => ({ ...jwk, kid }))
  return JSON.stringify({ keys: [...keys, { ...ec.publicKey.export({ format: 'jwk' }), kid: 'ec-key' }] })
}

// Signing

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Signs a token with the test key for the header's `alg`, or with `key`. */
export function signToken(
  header: Readonly<Record<string, unknown>>,
  claims: Claims,
  key?: KeyObject,
): string {
  return signText(`${encoded(header)}.${encoded(claims)}`, String(header['alg']), key)
}

/** Signs any string in the place of `header.payload`. */
export function signText(input: string, algorithm = 'RS256', key?: KeyObject): string {
  const { rsa, ec } = testKeys()
  const by = key ?? (algorithm === 'ES256' ? ec.privateKey : rsa.privateKey)
  const padding = algorithm.startsWith('PS') ? { padding: 6, saltLength: 32 } : {}
  const signature = sign('sha256', Buffer.from(input), { key: by, dsaEncoding: 'ieee-p1363', ...padding })
  return `${input}.${signature.toString('base64url')}`
}

export interface SignOptions {
  /** When the token is presented. Its times are shifted accordingly. Default: the clock of the base. */
  readonly at?: Date
  /** Replaces the audience of the vectors. */
  readonly audience?: string
  /** Replaces an issuer's URL, for example with that of an issuer in the test. */
  readonly issuerUrl?: (url: string) => string
  /**
   * A value that distinguishes the token from others, in `jti` or, if the claims have none, in a claim that is not
   * read.
   */
  readonly unique?: string
}

export interface SignedCase {
  readonly text: string
  readonly claims: Claims
  /** When the token is presented. */
  readonly clock: Date
}

export function signCase(one: TokenCase, options: SignOptions = {}): SignedCase {
  const { header, ...moved } = changedBase(one, options)
  const { claims, clock } = moved
  return { ...moved, text: ODDITIES[one.id]?.(header, claims) ?? plainText(one, header, claims), clock }
}

/** Signs an unchanged claim set. */
export function signClaimSet(name: string, options: SignOptions = {}): SignedCase {
  return signCase({ id: name, base: name, rule: '', expect: '', reason: '', why: '' }, options)
}

function plainText({ signature }: TokenCase, header: Readonly<Record<string, unknown>>, claims: Claims) {
  return signature === 'empty' ? `${encoded(header)}.${encoded(claims)}.` : signToken(header, claims)
}

/** Changes that the vectors describe only in words, by the id of the case. */
const ODDITIES: Readonly<
  Record<string, (header: Readonly<Record<string, unknown>>, claims: Claims) => string>
> = {
  'alg-confusion': (header, claims) => signToken(header, claims, testKeys().ec.privateKey),
  'jenkins-rekeyed': (header, claims) => signToken(header, claims, testKeys().replaced.privateKey),
  'not-base64url': (header, claims) => signToken(header, claims).replace('.', '=.'),
  'too-large': (header, claims) => signToken(header, { ...claims, padding: 'x'.repeat(13_000) }),
  'replayed-resigned-text': (header, claims) => signToken({ ...header, alg: 'ES256', kid: 'ec-key' }, claims),
}

function changedBase(one: TokenCase, options: SignOptions) {
  const { at, unique } = options
  const base = oidcVectors().claimSets.get(one.base) ?? assert.fail(`there are no claims ${one.base}`)
  const baseClock = secondsOf(base.claims, 'iat') + 60
  const changes = Object.fromEntries(
    Object.entries(one.set ?? {}).map(([claim, value]) => [claim, relative(value, base.claims, baseClock)]),
  )
  const removed = new Set(one.remove)
  const claims = Object.fromEntries(
    Object.entries({ ...base.claims, ...uniqueClaim(base.claims, unique), ...changes })
      .filter(([claim]) => !removed.has(claim))
      .map(([claim, value]) => [claim, replaced(claim, value, options)]),
  )
  const clock = Number(relative(one.clock ?? baseClock, claims, baseClock))
  const shift = at === undefined ? 0 : Math.floor(at.getTime() / 1000) - clock
  const header = Object.entries({ ...base.header, ...one.header }).filter(([, value]) => value !== null)
  return {
    header: Object.fromEntries(header),
    claims: shifted(claims, shift),
    clock: at ?? new Date(clock * 1000),
  }
}

const uniqueClaim = (claims: Claims, unique: string | undefined): Claims =>
  unique === undefined ? {} : { ['jti' in claims ? 'jti' : 'unread']: unique }

function secondsOf(claims: Claims, name: string): number {
  const value = claims[name]
  // One base has no times: the token of a Kubernetes secret.
  return typeof value === 'number' ? value : 1_719_993_600
}

/** Resolves the values `iat+60`, `exp+29` and `clock+31` of the cases, and returns others unchanged. */
function relative(value: unknown, claims: Claims, clock: number): unknown {
  const [, name, more] = (typeof value === 'string' && /^(iat|exp|clock)\+([0-9]+)$/.exec(value)) || []
  if (name === undefined) return value
  return (name === 'clock' ? clock : secondsOf(claims, name)) + Number(more)
}

function replaced(
  claim: string,
  value: unknown,
  { audience, issuerUrl }: Pick<SignOptions, 'audience' | 'issuerUrl'>,
): unknown {
  const ours = (one: unknown) => (one === oidcVectors().audience ? (audience ?? one) : one)
  if (claim === 'aud') return Array.isArray(value) ? value.map(ours) : ours(value)
  return claim === 'iss' && typeof value === 'string' && issuerUrl ? issuerUrl(value) : value
}

const shifted = (claims: Claims, seconds: number): Claims =>
  Object.fromEntries(
    Object.entries(claims).map(([claim, value]) => [
      claim,
      ['iat', 'nbf', 'exp'].includes(claim) && typeof value === 'number' ? value + seconds : value,
    ]),
  )
