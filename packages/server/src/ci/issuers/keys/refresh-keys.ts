/** Fetches the keys of an issuer again, on one node at a time and not too often (contract/oidc.md, A18). */
import { setTimeout as sleep } from 'node:timers/promises'
import type { AuthoredStores } from '../../../change.ts'
import { RequestError, Unavailable } from '../../../errors.ts'
import { DAY_MS, type FoundIssuer, type KeysState } from '../issuer.ts'
import { fetchKeys } from './fetch-keys.ts'
import type { Pauses } from './issuer-keys-store.ts'

export const PAUSES: Pauses = { afterAny: 60_000, afterFailure: 30_000 }

/** How long known keys are used while the issuer does not answer. */
export const KEPT_MS = DAY_MS

/** Longer than the two fetches can take. */
const LONGEST_FETCH_MS = 15_000
const LOOK_MS = 200

/**
 * Returns the state of the keys after a fetch that this call begins, that another node is running, or that just ended.
 * Undefined if the issuer was removed. The state contains a failed fetch; only errors of the database are thrown.
 */
export async function refreshKeys(
  { issuer }: FoundIssuer,
  stores: AuthoredStores,
): Promise<KeysState | undefined> {
  const at = stores.clock()
  const before = await stores.issuerKeys.begin(issuer.id, at, PAUSES)
  if (before !== undefined) await fetchAndStore({ issuer, before, at }, stores)
  for (let looks = 0; ; looks++) {
    const keys = (await stores.issuers.findById(issuer.id))?.keys
    if (!keys || !isBeingFetched(keys, stores.clock()) || looks * LOOK_MS > LONGEST_FETCH_MS) return keys
    await sleep(LOOK_MS)
  }
}

/** Checks whether a fetch is running, and not for so long that its node must have died. */
export const isBeingFetched = ({ triedAt, fetchedAt, failure }: KeysState, now: Date): boolean =>
  failure === undefined && triedAt > fetchedAt && now.getTime() - triedAt.getTime() < LONGEST_FETCH_MS

/** A running fetch. */
interface Fetch {
  readonly issuer: FoundIssuer['issuer']
  /** The revision before the fetch. */
  readonly before: string
  readonly at: Date
}

/** Fetches and stores keys. Returns the error if the fetch failed. */
export async function fetchAndStore(
  { issuer, before, at }: Fetch,
  stores: AuthoredStores,
): Promise<RequestError | Unavailable | undefined> {
  const fetched = await fetchKeys(issuer, stores.fetchDocument).catch((error: unknown) => {
    if (error instanceof RequestError || error instanceof Unavailable) return error
    throw error
  })
  if (fetched instanceof Error) {
    await stores.issuerKeys.fail(issuer.id, at, fetched.message.slice(0, 500))
    return fetched
  }
  const { jwksUri: _, ...keys } = fetched
  await stores.change(async ({ issuerKeys, record }) => {
    const stored = await issuerKeys.succeed(issuer.id, at, keys)
    if (stored && keys.revision !== before) {
      await record({ action: 'issuer.refresh', subject: issuer.url, details: { revision: keys.revision } })
    }
  })
  return undefined
}

interface RefreshOldKeysDeps extends AuthoredStores {
  /** Returns whether to begin another step. */
  readonly goOn: () => Promise<boolean>
  /** Called for an issuer whose fetch failed after the previous one succeeded. */
  readonly onFailed: (url: string, why: string) => void
}

const HOUR_MS = 3_600_000
/** How many issuers are fetched at once: one that does not answer takes five seconds. */
const AT_ONCE = 8

/** Fetches all keys every hour, so that keys that an issuer withdrew are refused (contract/oidc.md, A18). */
export async function refreshOldKeys(deps: RefreshOldKeysDeps): Promise<void> {
  const now = deps.clock()
  const old = (await deps.issuers.list()).filter(({ keys }) => isOld(keys, now))
  for (let first = 0; first < old.length && (await deps.goOn()); first += AT_ONCE) {
    await Promise.all(old.slice(first, first + AT_ONCE).map((found) => refreshOne(found, deps)))
  }
}

async function refreshOne(found: FoundIssuer, deps: RefreshOldKeysDeps): Promise<void> {
  const keys = await refreshKeys(found, deps)
  if (keys?.failure !== undefined && found.keys.failure === undefined) {
    deps.onFailed(found.issuer.url, keys.failure)
  }
}

/** Keys from a clock that was ahead also count as old. */
function isOld({ pinnedAt, fetchedAt }: KeysState, now: Date): boolean {
  return pinnedAt === undefined && Math.abs(now.getTime() - fetchedAt.getTime()) > HOUR_MS
}
