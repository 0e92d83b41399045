/** The services whose word about a request the pages pass on: the one this identity service is part of, and those named. */
import { parseSummary } from '../third-party/request-summary.ts'

export interface KnownService {
  /** Without a trailing slash, as it calls itself in its summaries. */
  readonly url: string
  /** X25519, 32 bytes: it seals its caveats with this key pair. */
  readonly publicKey: Uint8Array
}

/**
 * Whether the service that sealed a caveat is known by its key, and calls itself what it is known as. `own` is the key
 * of the service that this identity service is part of; `summary` is what the caveat says about the request.
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
