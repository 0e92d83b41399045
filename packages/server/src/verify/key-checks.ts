/** Sealed keys, and what was made with them. */
import { createPrivateKey } from 'node:crypto'
import { AssertionError, privateKeyFromKeyObject } from '@ratafia/assertions'
import { keyPairFromPrivateKey } from '@ratafia/macaroon/bakery'
import { parseId } from '../keyring/macaroon-id.ts'
import { keyPairSealingPurpose, signingKeyPurpose } from '../keyring/sealing-purposes.ts'
import type { Check } from './check.ts'

export const KEY_CHECKS: readonly Check[] = [
  {
    name: 'sealed-values',
    holds: 'Every sealed value opens under the secret key, or under the previous one.',
    async *find({ sealed, sealer }) {
      for (const { name, purpose, sealed: value } of await sealed.all()) {
        if (sealer.unseal(purpose, value) === undefined) {
          yield `The ${name} does not open: it was changed, or is sealed under another secret key.`
        }
      }
    },
  },
  {
    name: 'root-keys',
    holds: 'Root keys count up from 1 without gaps, and there is one.',
    async *find({ rows }) {
      const ids = await rows.rootKeyIds()
      if (ids.length === 0) yield 'There is no root key.'
      for (const [index, id] of ids.entries()) {
        if (id !== (ids[index - 1] ?? 0) + 1) yield `A root key before ${id} is missing.`
      }
    },
  },
  {
    name: 'key-pairs',
    holds: 'The public key of a key pair, and the id of a signing key, belong to the private key beside it.',
    async *find({ rows, sealer }) {
      for (const pair of await rows.keyPairs()) {
        const { id, purpose, public_key, sealed } = pair
        const privateKey = sealer.unseal(keyPairSealingPurpose(pair), sealed)
        if (privateKey?.length !== 32) continue
        if (!Buffer.from(keyPairFromPrivateKey(privateKey).publicKey).equals(public_key)) {
          yield `The ${purpose} key pair ${id} has another public key than its private key's.`
        }
      }
      for (const { key_id, sealed } of await rows.signingKeys()) {
        const der = sealer.unseal(signingKeyPurpose(key_id), sealed)
        if (der && signingKeyId(der) !== key_id) yield `The signing key ${key_id} is another key.`
      }
    },
  },
  {
    name: 'session-macaroons',
    holds: 'The macaroon of every device session was made with a root key that is here.',
    async *find({ rows }) {
      const ids = new Set(await rows.rootKeyIds())
      for await (const { session_id, macaroon_id } of rows.sessionMacaroons()) {
        const parsed = parseId(macaroon_id)
        if (parsed?.kind !== 'device-session')
          yield `The device session ${session_id} has no macaroon of its kind.`
        else if (!ids.has(parsed.rootKeyId)) {
          yield `The device session ${session_id} was made with the root key ${parsed.rootKeyId}, which is not here.`
        }
      }
    },
  },
]

function signingKeyId(der: Buffer): string | undefined {
  try {
    return privateKeyFromKeyObject(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })).publicKey.id
  } catch (error) {
    if (error instanceof AssertionError || (error as NodeJS.ErrnoException).code !== undefined)
      return undefined
    throw error
  }
}
