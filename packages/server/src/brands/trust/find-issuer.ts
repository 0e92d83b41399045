/** Finds the root that a private key belongs to. */
import type { PrivateKey } from '@ratafia/assertions'
import { invalidField } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import type { Issuer } from './issue.ts'
import { rootAssertions } from './trust.ts'

/** Returns the root that signs with this key. Throws `invalid-field` if the key belongs to no root. */
export async function findIssuer(key: PrivateKey, stores: Stores): Promise<Issuer> {
  const { id } = key.publicKey
  const roots = await rootAssertions(stores)
  const own = roots.find((root) => root.type === 'account-key' && root.fields.publicKeyId === id)
  if (own?.type === 'account-key') return { accountId: own.fields.accountId, key }
  throw invalidField(
    `The root key ${id} belongs to no trust root of this service. \`ratafia trust list\` shows their keys; \`ratafia trust create-root\` creates a root.`,
  )
}
