/**
 * The services whose request summaries the pages trust: the one this identity service is part of, and configured ones.
 */
import { parseSummary } from '../third-party/request-summary.ts'

export interface KnownService {
  /** Its URL as in its summaries, without a trailing slash. */
  readonly url: string
  /** The X25519 public key, 32 bytes, of the key pair that it seals its caveats with. */
  readonly publicKey: Uint8Array
}

/**
 * Whether the key of the service that sealed a caveat is known, and the summary contains the URL that belongs
 * to this key. `own` is the key of the service that this identity service is part of; `summary` is the
 * caveat's request summary.
 */
export function isKnownService(
  { firstParty, summary }: { readonly firstParty: Uint8Array; readonly summary: string | undefined },
  own: Uint8Array,
  known: readonly KnownService[],
): boolean {
  if (Buffer.compare(own, firstParty) === 0) return true
  const names = known
    .filter(({ publicKey }) => Buffer.compare(publicKey, firstParty) === 0)
    .map(({ url }) => url)
  if (summary === undefined) return names.length > 0
  const claimed = parseSummary(summary)?.service
  return claimed !== undefined && names.includes(claimed)
}
