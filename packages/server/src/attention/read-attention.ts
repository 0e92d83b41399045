/** Everything that needs attention and that the caller has permission to see. The console's overview begins with it. */
import { type Authority, type BrandScope, brandsFor, covers } from '../authority.ts'
import { describeSigningKey, type SigningKeyDescription } from '../brands/keys/list-signing-keys.ts'
import type { CountedNow } from '../devices/counts/device-counts.ts'
import type { Stores } from '../stores.ts'
import type { AttentionStore, Ending, EndingTokens, ModelWithEndingKeys } from './attention-store.ts'

export interface Attention {
  readonly at: Date
  /** The brand it is limited to; undefined for everything the caller can see. */
  readonly brandId: string | undefined
  readonly waiting: CountedNow & { readonly oldestAt: Date | undefined }
  readonly quarantined: CountedNow
  readonly evidence: CountedNow
  /** The brands whose signing needs attention; undefined, like `apiKeys`, if the caller cannot read models. */
  readonly signing: Signing | undefined
  readonly apiKeys: readonly ModelWithEndingKeys[] | undefined
  /** For the whole service, like the fields below: undefined for a single brand or without permission. */
  readonly tokens: EndingTokens | undefined
  readonly brokenJobs: number | undefined
  readonly signInLinks: readonly { readonly username: string; readonly at: Date }[] | undefined
  /** Who used the setup link; undefined if that was long ago, or if the caller cannot read the audit log. */
  readonly setUp: { readonly username: string; readonly at: Date; readonly address: string } | undefined
}

interface Signing {
  /** Brands without a key that can sign. */
  readonly withoutKey: readonly string[]
  /** The key of each brand that can sign longest, if it expires soon. */
  readonly ending: readonly (SigningKeyDescription & { readonly until: Date })[]
}

export interface AttentionDeps extends Stores {
  readonly attention: AttentionStore
}

interface Asking {
  readonly authority: Authority
  readonly brandId: string | undefined
}

const DAY_MS = 86_400_000
/** How soon something must expire to need attention. */
const SOON_MS = 30 * DAY_MS
/** How long past events are shown. */
const RECENT_MS = 7 * DAY_MS
/** The highest number that is counted. Above it, lists show "more than 10,000". */
const MOST = 10_000
const MOST_MODELS = 100
const MOST_LINKS = 10
/** The maximum number of brands and keys that are examined: the chain of each key is verified. */
const MOST_KEYS = 500

/**
 * Reads it. For a brand that the caller cannot see, nothing needs attention. Throws `RequestError` `permission-denied`.
 */
export async function readAttention({ authority, brandId }: Asking, deps: AttentionDeps): Promise<Attention> {
  const { attention, deviceCounts, clock } = deps
  const at = clock()
  const brands = within(brandsFor(authority, 'devices:read'), brandId)
  const ofModels = within(authority.scopeOf('models:read'), brandId)
  const readsModels = isSome(authority.scopeOf('models:read'))
  const soon = { from: at, before: new Date(at.getTime() + SOON_MS) }
  const isWhole = brandId === undefined
  const [waiting, quarantined, evidence, oldestAt, signing, apiKeys, tokens, brokenJobs, signInLinks, setUp] =
    await Promise.all([
      isNone(brands) ? NONE : deviceCounts.countNow('waiting', brands, MOST),
      isNone(brands) ? NONE : deviceCounts.countNow('quarantined', brands, MOST),
      isNone(brands) ? NONE : attention.evidence(brands, MOST),
      isNone(brands) ? undefined : attention.oldestWaiting(brands),
      readsModels ? signingOf(ofModels, soon.before, deps) : undefined,
      readsModels ? apiKeysOf(ofModels, soon, deps) : undefined,
      isWhole && authority.scopeOf('tokens:read') === 'all' ? attention.tokens(soon, MOST) : undefined,
      isWhole ? attention.brokenJobs(ofJobs(authority), new Date(at.getTime() - RECENT_MS)) : undefined,
      isWhole && authority.scopeOf('audit:read') === 'all' ? linksSince(at, deps) : undefined,
      isWhole && authority.scopeOf('audit:read') === 'all' ? setUpSince(at, deps) : undefined,
    ])
  return {
    ...{ at, brandId, quarantined, evidence, signing, apiKeys, tokens, brokenJobs, signInLinks, setUp },
    waiting: { ...waiting, oldestAt },
  }
}

const isSome = (scope: BrandScope): boolean => scope === 'all' || scope.size > 0

type Brands = readonly string[] | 'all'

const isNone = (brands: Brands): boolean => brands !== 'all' && brands.length === 0
const NONE: CountedNow = { devices: 0, more: false }

function within(scope: BrandScope, brandId: string | undefined): Brands {
  if (brandId !== undefined) return covers(scope, brandId) ? [brandId] : []
  return scope === 'all' ? 'all' : [...scope]
}

/** The account whose jobs the caller sees; undefined for all accounts, which operators see. */
const ofJobs = (authority: Authority) =>
  authority.scopeOf('roles:manage') === 'all' ? undefined : authority.accountId

const apiKeysOf = async (
  brands: Brands,
  ending: Ending,
  { attention }: Pick<AttentionDeps, 'attention'>,
): Promise<readonly ModelWithEndingKeys[]> =>
  isNone(brands) ? [] : attention.apiKeys(brands, ending, MOST_MODELS)

async function signingOf(
  brands: Brands,
  soon: Date,
  deps: Pick<AttentionDeps, 'brands' | keyof Stores>,
): Promise<Signing> {
  if (isNone(brands)) return { withoutKey: [], ending: [] }
  const wanted = { brands, after: undefined, limit: MOST_KEYS }
  const [all, keys] = await Promise.all([deps.brands.page(wanted), deps.brands.keysPage(wanted)])
  const enabled = keys.filter(({ disabledAt }) => disabledAt === null)
  const described = await Promise.all(enabled.map((key) => describeSigningKey(key, deps)))
  const longest = new Map<string, SigningKeyDescription>()
  for (const key of described) {
    const before = longest.get(key.accountId)
    if (key.fault === undefined && (!before || endOf(key) > endOf(before))) longest.set(key.accountId, key)
  }
  // Nothing is known about brands after the last key that was examined.
  const last = keys.length < MOST_KEYS ? undefined : keys.at(-1)?.accountId
  const known = all.filter(({ accountId }) => last === undefined || accountId < last)
  return {
    withoutKey: known.map(({ accountId }) => accountId).filter((accountId) => !longest.has(accountId)),
    ending: [...longest.values()]
      .flatMap((key) => (key.until && key.until < soon ? [{ ...key, until: key.until }] : []))
      .sort((a, b) => a.until.getTime() - b.until.getTime()),
  }
}

const endOf = ({ until }: SigningKeyDescription): number => until?.getTime() ?? Number.POSITIVE_INFINITY

async function linksSince(at: Date, { audit }: Pick<AttentionDeps, 'audit'>) {
  const since = new Date(at.getTime() - RECENT_MS)
  const entries = await audit.list({ action: 'account.sign-in-link', since }, { limit: MOST_LINKS })
  return entries.map(({ subject, at }) => ({ username: subject, at }))
}

async function setUpSince(at: Date, { audit }: Pick<AttentionDeps, 'audit'>) {
  const since = new Date(at.getTime() - RECENT_MS)
  const [entry] = await audit.list({ action: 'installation.set-up', since }, { limit: 1 })
  return entry && { username: entry.subject, at: entry.at, address: entry.source }
}

const countedRecord = ({ devices, more }: CountedNow) => ({ devices, more })

/** Returns it as the API shows it. */
export const attentionRecord = (one: Attention) => ({
  at: one.at.toISOString(),
  brand: one.brandId ?? null,
  waiting: { ...countedRecord(one.waiting), oldest_at: one.waiting.oldestAt?.toISOString() ?? null },
  quarantined: countedRecord(one.quarantined),
  evidence: countedRecord(one.evidence),
  brands_without_key: one.signing ? [...one.signing.withoutKey] : null,
  signing_keys:
    one.signing?.ending.map(({ keyId, accountId, name, until }) => ({
      ...{ key_id: keyId, brand_id: accountId, name: name ?? null },
      ends_at: until.toISOString(),
    })) ?? null,
  api_keys:
    one.apiKeys?.map(({ brandId, model, keys, firstEndsAt }) => ({
      ...{ brand_id: brandId, model, keys },
      first_ends_at: firstEndsAt.toISOString(),
    })) ?? null,
  tokens: one.tokens
    ? {
        ...{ tokens: one.tokens.tokens, more: one.tokens.more },
        first_ends_at: one.tokens.firstEndsAt?.toISOString() ?? null,
      }
    : null,
  jobs: one.brokenJobs ?? null,
  sign_in_links: one.signInLinks?.map(({ username, at }) => ({ username, at: at.toISOString() })) ?? null,
  set_up: one.setUp ? { ...one.setUp, at: one.setUp.at.toISOString() } : null,
})
