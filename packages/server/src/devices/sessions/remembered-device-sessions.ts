/**
 * Caches verified device sessions by the digest of the headers that presented them, while the node receives
 * every change of their device, and only while they are in force. A revocation takes effect with the next
 * request on the node that made it, and within a second on every other node.
 */
import type { Clock } from '../../clock.ts'
import { type CacheFreshness, createMemory } from '../../database/index.ts'
import { ownCopy } from '../../own-copy.ts'
import type { RememberedDeviceSessions, VerifiedSession } from './verify-session.ts'

const MOST = 50_000
/** In characters of a description; a session with a longer one counts as several. */
const DESCRIPTION = 512

export function rememberedDeviceSessions(
  freshness: CacheFreshness,
  { clock }: { readonly clock: Clock },
): RememberedDeviceSessions {
  const memory = createMemory<VerifiedSession>(freshness, {
    name: 'device-session',
    most: MOST,
    countsAs: ({ description }) => 1 + Math.floor(description.length / DESCRIPTION),
    dependsOn: ({ deviceId }) => [{ kind: 'device', id: deviceId }],
  })
  return {
    find: (digest) => {
      const known = memory.peek(digest)
      // A session that is not in force is verified and refused like any other.
      return known && isInForce(known, clock().getTime()) ? known : undefined
    },
    // A session that is still cached but was not found above is not in force.
    remember: (digest, verify) => {
      if (memory.peek(digest)) return verify()
      return memory.find(digest, async () => {
        const session = await verify()
        return { ...session, headers: ownCopy(session.headers) }
      })
    },
  }
}

const isInForce = ({ until, notBefore }: VerifiedSession, now: number): boolean =>
  now < until.getTime() && (notBefore === undefined || now >= notBefore.getTime())
