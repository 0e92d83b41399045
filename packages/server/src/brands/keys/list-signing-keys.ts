/** The keys that sign serials, without their secrets, and whether each of them can sign now. */
import { AssertionError, type UnverifiedAssertion } from '@ratafia/assertions'
import { type Authority, brandsFor, brandsNamed, covers } from '../../authority.ts'
import { noSuchRecord, RequestError } from '../../errors.ts'
import { type Page, type Paging, pageOf } from '../../page.ts'
import type { Stores, TransactionStores } from '../../stores.ts'
import type { KeyPosition, StoredSigningKey } from '../brand-store.ts'
import { findAssertion, trustContext } from '../trust/trust.ts'
import { checkSigningKey } from './signing-key-fit.ts'

export interface SigningKeyDescription {
  readonly keyId: string
  readonly accountId: string
  readonly name: string | undefined
  readonly since: Date | undefined
  readonly until: Date | undefined
  readonly addedAt: Date
  readonly disabledAt: Date | null
  /** Why it can't sign now, although it is not disabled; undefined if it can. */
  readonly fault: string | undefined
}

/** Returns the keys of one account or of all, sorted by account and time. */
export async function listSigningKeys(
  accountId: string | undefined,
  stores: Stores,
): Promise<readonly SigningKeyDescription[]> {
  const keys = await stores.brands.keys(accountId)
  return Promise.all(keys.map((key) => describeSigningKey(key, stores)))
}

interface Listing extends Paging<KeyPosition> {
  readonly authority: Authority
  /** The default is all. */
  readonly brands?: readonly string[] | undefined
}

/** Returns the keys of brands that the caller can see, in the same order. Throws `permission-denied`. */
export async function pageOfSigningKeys(
  { authority, brands, after, limit }: Listing,
  stores: Stores,
): Promise<Page<SigningKeyDescription>> {
  const seen = brandsNamed(brandsFor(authority, 'models:read'), brands)
  const { rows: keys, next } = await pageOf(limit, (most) =>
    stores.brands.keysPage({ brands: seen, after, limit: most }),
  )
  const rows = await Promise.all(keys.map((key) => describeSigningKey(key, stores)))
  return { rows, next: next && rows.at(-1) }
}

/** Throws `permission-denied`, and `no-such-record`, even for a key of a brand that the caller can't see. */
export async function seenSigningKey(
  { keyId, authority }: { readonly keyId: string; readonly authority: Authority },
  { brands }: TransactionStores,
): Promise<StoredSigningKey> {
  const scope = brandsFor(authority, 'models:read')
  const key = /^[A-Za-z0-9_-]{64}$/.test(keyId) ? await brands.findKey(keyId) : undefined
  if (key && covers(scope, key.accountId)) return key
  throw noSuchSigningKey(keyId)
}

export const noSuchSigningKey = (keyId: string): RequestError =>
  noSuchRecord(`There is no signing key ${keyId.slice(0, 64)}. \`ratafia signing-keys list\` shows them.`, {
    kind: 'signing-key',
    id: keyId,
  })

export async function describeSigningKey(
  key: StoredSigningKey,
  stores: Stores,
): Promise<SigningKeyDescription> {
  const { keyId, accountId, addedAt, disabledAt } = key
  const assertion = await findAssertion('account-key', [keyId], stores)
  const { name, since, until } = assertion?.fields ?? {}
  const fault = assertion ? await faultOf(assertion, stores) : 'Its account-key assertion is missing.'
  return { keyId, accountId, name, since, until, addedAt, disabledAt, fault }
}

async function faultOf(
  accountKey: UnverifiedAssertion<'account-key'>,
  stores: Stores,
): Promise<string | undefined> {
  try {
    await checkSigningKey(accountKey, await trustContext(stores))
    return undefined
  } catch (error) {
    if (error instanceof RequestError || error instanceof AssertionError) return error.message
    throw error
  }
}

/** The public half of a signing key, as the API, `--json` and exports show it. Times are RFC 3339 in UTC. */
export const signingKeyRecord = (key: SigningKeyDescription) => ({
  account_id: key.accountId,
  name: key.name ?? null,
  state: key.disabledAt
    ? ('disabled' as const)
    : key.fault === undefined
      ? ('signs' as const)
      : ('does not fit' as const),
  since: key.since?.toISOString() ?? null,
  until: key.until?.toISOString() ?? null,
  added_at: key.addedAt.toISOString(),
  disabled_at: key.disabledAt?.toISOString() ?? null,
  fault: key.fault ?? null,
  key_id: key.keyId,
})

interface SigningKeyLife {
  readonly accountId: string
  readonly keyId: string
  /** In seconds. 0 if it can't sign now: it is disabled or expired, or its chain reaches no trusted root. */
  readonly remaining: number
}

/** The seconds of a key that never expires: metrics pass between processes as text, which has no infinity. */
const ENDLESS = 100 * 365.25 * 86_400

/** Returns all keys, including disabled ones. */
export async function signingKeyLives(stores: Stores): Promise<readonly SigningKeyLife[]> {
  const now = stores.clock().getTime()
  const keys = await listSigningKeys(undefined, stores)
  return keys.map(({ accountId, keyId, until, disabledAt, fault }) => {
    const usable = disabledAt === null && fault === undefined
    const left = until === undefined ? ENDLESS : Math.max(0, (until.getTime() - now) / 1000)
    return { accountId, keyId, remaining: usable ? left : 0 }
  })
}
