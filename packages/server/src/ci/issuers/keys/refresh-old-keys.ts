/** Fetches all keys every hour, so that a key that an issuer withdrew is refused (contract/oidc.md, A18). */
import type { AuthoredStores } from '../../../change.ts'
import type { FoundIssuer, KeysState } from '../issuer.ts'
import { refreshKeys } from './refresh-keys.ts'

interface RefreshOldKeysDeps extends AuthoredStores {
  /** Whether to begin another step. */
  readonly goOn: () => Promise<boolean>
  /** Called for an issuer whose last fetch succeeded and whose fetch now failed. */
  readonly onFailed: (url: string, why: string) => void
}

const HOUR_MS = 3_600_000
/** How many are fetched at once: an issuer that does not answer takes five seconds. */
const AT_ONCE = 8

/** Fetches those that are older than an hour. */
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

/** Also when they are from a clock that was ahead. */
function isOld({ pinnedAt, fetchedAt }: KeysState, now: Date): boolean {
  return pinnedAt === undefined && Math.abs(now.getTime() - fetchedAt.getTime()) > HOUR_MS
}
