/** The signing keys of a brand whose expiry leaves it with one key less. */
import { listSigningKeys, type SigningKeyDescription } from '../brands/keys/list-signing-keys.ts'
import type { Stores } from '../stores.ts'

export interface EndingSigningKey {
  readonly keyId: string
  readonly brandId: string
  readonly name: string | undefined
  readonly since: Date
  readonly endsAt: Date
}

/**
 * Returns the keys that are not disabled and can sign until they expire, except those that another key of the
 * brand outlives: that key has replaced them.
 */
export async function endingSigningKeys(
  brandId: string,
  stores: Stores,
): Promise<readonly EndingSigningKey[]> {
  const keys = (await listSigningKeys(brandId, stores)).filter(({ disabledAt }) => disabledAt === null)
  const now = stores.clock()
  return keys.flatMap((key) => {
    const { keyId, name, since, until, addedAt, fault } = key
    if (until === undefined || (fault !== undefined && until > now)) return []
    if (keys.some((other) => outlives(other, until))) return []
    return { keyId, brandId, name, since: since ?? addedAt, endsAt: until }
  })
}

const outlives = ({ until, fault }: SigningKeyDescription, end: Date): boolean =>
  fault === undefined && (until === undefined || until > end)
