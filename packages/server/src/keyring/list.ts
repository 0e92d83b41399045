import type { KeyDescription, Keyring } from './keyring.ts'

/** Every key, as it is in the database now: root keys, then key pairs, newest first. No secrets among it. */
export function list({ keyring }: { readonly keyring: Keyring }): Promise<KeyDescription[]> {
  return keyring.list()
}
