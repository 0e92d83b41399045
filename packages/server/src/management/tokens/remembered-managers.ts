/**
 * Remembers verified management tokens by the digest of the headers that presented them, while the node
 * receives every change of their session, their account and its roles, and at most until they expire.
 */
import type { Clock } from '../../clock.ts'
import { type CacheFreshness, createMemory } from '../../database/index.ts'
import { ownCopy } from '../../own-copy.ts'
import type { Manager, RememberedManagers } from './manager.ts'

const MOST = 5_000

export function rememberedManagers(
  freshness: CacheFreshness,
  { clock }: { readonly clock: Clock },
): RememberedManagers {
  const memory = createMemory<Manager>(freshness, {
    name: 'manager',
    most: MOST,
    dependsOn: ({ sessionId, account, signIn }) => [
      { kind: 'token-session', id: sessionId },
      { kind: 'account', id: account.id },
      { kind: 'role-grant', id: account.id },
      ...(signIn.kind === 'agent' ? [{ kind: 'agent', id: signIn.name } as const] : []),
    ],
  })
  return {
    find: (digest) => {
      const known = memory.peek(digest)
      // An expired token is verified, and refused, like any other.
      return known && clock().getTime() < known.until ? known : undefined
    },
    remember: (digest, verify) =>
      memory.peek(digest) ? verify() : memory.find(digest, async () => shrunk(await verify())),
  }
}

/** Copies what was read from the macaroon. */
const shrunk = ({ sessionId, minted, limits, ...read }: Manager): Manager => ({
  ...read,
  ...ownCopy({ sessionId, minted, limits }),
})
