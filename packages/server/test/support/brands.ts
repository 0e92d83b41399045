/** Stores the test world of packages/assertions/vectors, and creates assertions in it. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  encode,
  encodePublicKey,
  type HeaderInput,
  type PrivateKey,
  privateKeyFromPem,
  sign,
  type TypeName,
} from '@ratafia/assertions'
import type { NamedFile } from '../../src/brands/assertion-file.ts'
import { DEFAULT_POLICY } from '../../src/brands/models/model-policy.ts'
import type { Clock } from '../../src/clock.ts'
import type { Database } from '../../src/database/index.ts'
import { createSealer } from '../../src/keyring/sealing.ts'
import type { Stores } from '../../src/stores.ts'
import { addBrand, addModel, addTrustRoots } from './as-operator.ts'
import { storesOf } from './stores.ts'

/** Returns the path of a file in the vectors. */
export const vectorPath = (path: string): string =>
  fileURLToPath(new URL(`../../../assertions/vectors/${path}`, import.meta.url))

export const vector = (path: string): NamedFile => ({ name: path, bytes: readFileSync(vectorPath(path)) })

export const testKey = (name: string): PrivateKey => privateKeyFromPem(vector(`world/keys/${name}.pem`).bytes)

/** Returns the dependencies of the brand operations for this database. */
export function brandDeps(database: Database, clock: Clock = () => new Date()) {
  return storesOf(database, { clock, sealer: createSealer(Buffer.alloc(32, 7)) })
}

/** The files of a brand of the test world, and of its key. */
export const brandFiles = (account: string, key: string) => ({
  account: vector(`world/account-${account}`),
  accountKey: vector(`world/account-key-${account}`),
  signingKey: vector(`world/keys/${key}.pem`),
})

export const acmeFiles = brandFiles('acme-brand', 'brand')

export const addTestRoot = (deps: Stores) =>
  addTrustRoots([vector('world/account-test-root'), vector('world/account-key-test-root')], deps)

/** Adds the root, the brand acme-brand, and its model acme-classic with the registration policy `auto`. */
export async function addAcme(deps: Stores): Promise<void> {
  await addTestRoot(deps)
  await addBrand(acmeFiles, deps)
  const policy = { registration: 'auto', ...DEFAULT_POLICY } as const
  await addModel({ file: vector('world/model-acme-classic'), policy }, deps)
}

/** Returns a file with an assertion that the test root or another key has signed. */
export function signedFile(
  type: TypeName,
  headers: Record<string, HeaderInput>,
  { key = testKey('root'), body }: { readonly key?: PrivateKey; readonly body?: string } = {},
): NamedFile {
  const input = { type, headers: { 'authority-id': 'test-root', ...headers }, ...(body ? { body } : {}) }
  return { name: `made-${type}`, bytes: encode(sign(input, key, { signedAt: new Date() })) }
}

/** Returns a file with an account-key assertion of the test root for a test key. */
export function accountKeyFile(
  accountId: string,
  key: PrivateKey,
  headers: Record<string, HeaderInput> = {},
): NamedFile {
  const own = {
    'public-key-sha3-384': key.publicKey.id,
    'account-id': accountId,
    name: 'serials',
    since: '2020-01-01T00:00:00Z',
  }
  return signedFile('account-key', { ...own, ...headers }, { body: encodePublicKey(key.publicKey) })
}
