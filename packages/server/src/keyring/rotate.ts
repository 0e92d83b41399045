import type { KeyDescription, Keyring } from './keyring.ts'

export type Rotatable = 'root' | 'discharger'

const ROTATIONS: Readonly<Record<Rotatable, (keyring: Keyring) => Promise<KeyDescription>>> = {
  root: (keyring) => keyring.rotateRootKey(),
  discharger: (keyring) => keyring.rotateDischargerKeyPair(),
}

export const ROTATABLE = Object.keys(ROTATIONS) as readonly Rotatable[]

/**
 * Adds a new active key of each kind and returns them in the same order. Every node uses them within 10 seconds;
 * what was made with the older ones stays valid. Two rotations at once add two keys.
 */
export async function rotate(
  kinds: readonly Rotatable[],
  { keyring }: { readonly keyring: Keyring },
): Promise<KeyDescription[]> {
  const added: KeyDescription[] = []
  for (const kind of kinds) added.push(await ROTATIONS[kind](keyring))
  return added
}
