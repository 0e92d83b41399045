/** Checks of sealed keys, and of what was signed or minted with them. */
import { createPrivateKey } from 'node:crypto'
import { AssertionError, privateKeyFromKeyObject } from '@ratafia/assertions'
import { keyPairFromPrivateKey } from '@ratafia/macaroon/bakery'
import { parseId } from '../keyring/macaroon-id.ts'
import { keyPairSealingPurpose, SEAL_CHECK_PURPOSE, signingKeyPurpose } from '../keyring/sealing.ts'
import type { Check } from './check.ts'

export const KEY_CHECKS: readonly Check[] = [
  {
    name: 'sealed-values',
    holds: 'Every sealed value opens under the secret key, or under the previous one.',
    async *find({ sealed, sealer }) {
      const values = await sealed.all()
      if (values.length > 0 && !values.some(({ purpose }) => purpose === SEAL_CHECK_PURPOSE)) {
        yield 'There is no seal check, which shows at start whether the secret key is right.'
      }
      for (const { name, purpose, sealed: value } of values) {
        if (sealer.unseal(purpose, value) === undefined) {
          yield `The ${name} does not open: it was changed, or is sealed under a different secret key.`
        }
      }
    },
  },
  {
    name: 'root-keys',
    holds: 'Root keys and key pairs are numbered from 1 without gaps, and each kind has at least one.',
    nothingYet: async ({ rows, sealed }) =>
      (await sealed.all()).length > 0 || (await rows.wasUsed())
        ? undefined
        : 'This database was never used, so it has no keys yet.',
    async *find({ rows }) {
      const ids = await rows.rootKeyIds()
      if (ids.length === 0) yield 'There is no root key.'
      for (const id of afterGaps(ids)) yield `A root key before ${id} is missing.`
      const pairs = await rows.keyPairs()
      for (const kind of ['issuer', 'discharger']) {
        if (!pairs.some(({ purpose }) => purpose === kind)) yield `There is no ${kind} key pair.`
      }
      for (const id of afterGaps(pairs.map((pair) => pair.id))) yield `A key pair before ${id} is missing.`
    },
  },
  {
    name: 'key-pairs',
    holds:
      'The public key of a key pair, and the id of a signing key, match the private key in the same row.',
    async *find({ rows, sealer }) {
      for (const pair of await rows.keyPairs()) {
        const { id, purpose, public_key, sealed } = pair
        const privateKey = sealer.unseal(keyPairSealingPurpose(pair), sealed)
        if (privateKey?.length !== 32) continue
        if (!Buffer.from(keyPairFromPrivateKey(privateKey).publicKey).equals(public_key)) {
          yield `The ${purpose} key pair ${id} has a public key that does not belong to its private key.`
        }
      }
      for (const { key_id, sealed } of await rows.signingKeys()) {
        const der = sealer.unseal(signingKeyPurpose(key_id), sealed)
        if (der && signingKeyId(der) !== key_id) yield `The signing key ${key_id} does not have this id.`
      }
    },
  },
  {
    name: 'session-macaroons',
    holds: 'The macaroon of every device session was created with a root key in this database.',
    async *find({ rows }) {
      const ids = new Set(await rows.rootKeyIds())
      for await (const { session_id, macaroon_id } of rows.sessionMacaroons()) {
        const parsed = parseId(macaroon_id)
        if (parsed?.kind !== 'device-session')
          yield `The device session ${session_id} has a macaroon of a different kind.`
        else if (!ids.has(parsed.rootKeyId)) {
          yield `The device session ${session_id} has a macaroon of the root key ${parsed.rootKeyId}, which does not exist.`
        }
      }
    },
  },
]

/** Returns the ids before which one is missing. `ids` must be ascending. */
const afterGaps = (ids: readonly number[]): readonly number[] =>
  ids.filter((id, index) => id !== (ids[index - 1] ?? 0) + 1)

function signingKeyId(der: Buffer): string | undefined {
  try {
    return privateKeyFromKeyObject(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })).publicKey.id
  } catch (error) {
    if (error instanceof AssertionError || (error as NodeJS.ErrnoException).code !== undefined)
      return undefined
    throw error
  }
}
