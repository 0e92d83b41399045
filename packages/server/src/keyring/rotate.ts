import { type Authority, requireForAll } from '../authority.ts'
import type { Changing } from '../change.ts'
import type { Stores } from '../stores.ts'
import type { KeySource } from './key-cache.ts'
import type { RootKey, StoredKeyPair } from './key-store.ts'
import type { KeyDescription, Keyring } from './keyring.ts'

export type Rotatable = 'root' | 'discharger'

declare module '../change.ts' {
  interface InChange {
    readonly rootKeys: Pick<KeySource<RootKey>, 'add'>
    readonly keyPairs: Pick<KeySource<StoredKeyPair>, 'add'>
  }
}

interface Rotating {
  readonly keyring: Keyring
  readonly change: Changing
}

const ROTATIONS: Readonly<Record<Rotatable, (deps: Rotating) => Promise<KeyDescription>>> = {
  root: ({ keyring, change }) =>
    keyring.rotateRootKey((key) =>
      change(async ({ rootKeys, record }) => {
        const added = await rootKeys.add(key)
        if (added) await record({ action: 'key.rotate', subject: `root ${key.id}` })
        return added
      }),
    ),
  discharger: ({ keyring, change }) =>
    keyring.rotateDischargerKeyPair((pair) =>
      change(async ({ keyPairs, record }) => {
        const added = await keyPairs.add(pair)
        if (added) await record({ action: 'key.rotate', subject: `discharger ${pair.id}` })
        return added
      }),
    ),
}

/**
 * Adds a new active key of each kind and returns them in the same order. Every node uses them within a second, and
 * everything created with older keys stays valid. Two concurrent rotations add two keys. Throws `permission-denied`.
 */
export async function rotate(
  { kinds, authority }: { readonly kinds: readonly Rotatable[]; readonly authority: Authority },
  { keyring, changeBy }: Stores,
): Promise<KeyDescription[]> {
  requireForAll(authority, 'roles:manage')
  const change = changeBy(authority.author)
  const added: KeyDescription[] = []
  for (const kind of kinds) added.push(await ROTATIONS[kind]({ keyring, change }))
  return added
}
