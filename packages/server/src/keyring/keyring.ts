/**
 * The keys of the service: sealed in the database, shared by every node, cached here. A rotation adds a key;
 * older keys keep verifying and opening what they created. Every method throws `Unavailable` if it needs the
 * database and the database is away.
 */
import type { KeyPair } from '@ratafia/macaroon/bakery'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/index.ts'
import { deriveKey } from './derive.ts'
import { type CacheTimes, KeyCache } from './key-cache.ts'
import {
  createKeyPairStore,
  createRootKeyStore,
  type KeyPairPurpose,
  newKeyPair,
  newRootKey,
  type RootKey,
  type StoredKeyPair,
} from './key-store.ts'
import {
  bytesOfId,
  deriveRootKey,
  formatId,
  isGenuineId,
  isTextId,
  type MacaroonKind,
  parseId,
} from './macaroon-id.ts'
import { checkSecret } from './seal-check-store.ts'
import { isGenuineText, openText, parseText, sealText } from './sealed-text.ts'
import { createSealer, type Sealer } from './sealing.ts'

export type { MacaroonKind } from './macaroon-id.ts'

export interface ResolvedId {
  readonly kind: MacaroonKind
  readonly payload: Uint8Array
  readonly rootKey: Uint8Array
  /** Whether it was spelt as text, as in a version 1 macaroon. */
  readonly isText: boolean
}

export interface KeyDescription {
  readonly kind: 'root' | KeyPairPurpose
  readonly id: number
  readonly createdAt: Date
  /** Whether new macaroons and sealed texts use it. Older keys only verify and open. */
  readonly active: boolean
  /** The 32 bytes of the public key; undefined for a root key. */
  readonly publicKey: Uint8Array | undefined
}

export interface Keyring {
  /** Creates an identifier for a macaroon, and the root key to mint it with. */
  mintId(kind: MacaroonKind, payload?: Uint8Array): Promise<{ id: Uint8Array; rootKey: Uint8Array }>
  /**
   * Returns the root key of an identifier that this service created; undefined for any other bytes. It proves nothing.
   * For an identifier whose root key another node added a moment ago, it waits for a look-up, at most about a second.
   * Made-up identifiers are recognised immediately and without the database. A request that presents several
   * identifiers passes when it arrived as `since`, by `performance.now()`, and then waits at most once.
   */
  resolve(id: Uint8Array, since?: number): Promise<ResolvedId | undefined>
  /** Creates a sealed text (base64url), as only this service can. Only {@link openText} with its purpose opens it. */
  sealText(purpose: string, plaintext: Uint8Array): Promise<string>
  /** Returns a sealed text's content; undefined for any other text. Waits like {@link resolve}. */
  openText(purpose: string, text: string): Promise<Uint8Array | undefined>
  /**
   * Returns a digest in hexadecimal that only the holder of the keys can compute. It is the same on every
   * node, for as long as the keys last. `purpose` must be a constant.
   */
  fingerprint(purpose: string, text: string): Promise<string>
  /** Returns our key pair, which seals third-party caveats to a discharger. */
  sealingKeyPair(): Promise<KeyPair>
  /** Returns the discharger's key pairs, newest first. The newest is advertised; each opens what was sealed to it. */
  dischargerKeyPairs(): Promise<readonly [KeyPair, ...KeyPair[]]>
  /** Looks for other nodes' new key pairs, once a second for all callers. Returns false if too many wait already. */
  lookForKeyPairs(): Promise<boolean>
  /** Reads the keys that other nodes have added, now. */
  refresh(): Promise<void>
  /** Adds a root key. `store` (default: the keyring's own) returns false if another process has taken the id. */
  rotateRootKey(store?: (key: RootKey) => Promise<boolean>): Promise<KeyDescription>
  rotateDischargerKeyPair(store?: (pair: StoredKeyPair) => Promise<boolean>): Promise<KeyDescription>
  /** Lists root keys, then key pairs, both newest first. */
  list(): Promise<KeyDescription[]>
}

declare module '../stores.ts' {
  interface Stores {
    readonly keyring: Keyring
  }
}

export interface KeyringDependencies {
  readonly database: Database
  /** RATAFIA_SECRET_KEY, at least 32 bytes, or a sealer created from it. */
  readonly secret: Uint8Array | Sealer
  readonly clock: Clock
  readonly times?: Partial<CacheTimes>
  /** Whether to create the first keys of a database (default: yes). Without keys it only lists and resolves. */
  readonly makeKeys?: boolean
}

const TIMES: CacheTimes = { refreshMs: 900, lookupMs: 1_000 }

/** How many can wait for {@link Keyring.lookForKeyPairs}: anyone can send a caveat sealed to an unknown key pair. */
const MOST_LOOKING = 32

/**
 * Opens the keyring of a migrated database and creates missing keys, once, even if several processes start together.
 * Throws `KeyringError` `wrong-secret` or `damaged-key`, and `Unavailable`.
 */
export async function openKeyring({
  database,
  secret,
  clock,
  times,
  makeKeys = true,
}: KeyringDependencies): Promise<Keyring> {
  const sealer = secret instanceof Uint8Array ? createSealer(secret) : secret
  await checkSecret(database, sealer, { first: makeKeys })
  const cacheTimes = { ...TIMES, ...times }
  const rootKeys = new KeyCache(createRootKeyStore(database, sealer), cacheTimes)
  const keyPairs = new KeyCache(createKeyPairStore(database, sealer), cacheTimes)
  const makeRootKey = (id: number) => newRootKey(id, clock())
  const makePair = (purpose: KeyPairPurpose) => (id: number) => newKeyPair(id, purpose, clock())
  if (makeKeys) {
    await rootKeys.add(makeRootKey, { exists: () => true })
    for (const purpose of ['issuer', 'discharger'] as const) {
      await keyPairs.add(makePair(purpose), { exists: (pair) => pair.purpose === purpose })
    }
  }

  const activeRootKey = async () => {
    const all = nonEmpty(await rootKeys.fresh())
    return { rootKey: all[0], firstKey: all.at(-1) ?? all[0] }
  }
  /** Returns the key with this id. Looks for an unknown one only if the identifier or text that names it is genuine. */
  const rootKeyOf = async (
    id: number,
    since: number,
    isGenuine: (firstKey: RootKey) => boolean,
  ): Promise<RootKey | undefined> => {
    const known = rootKeys.known(id)
    if (known) return known
    const first = rootKeys.first()
    return first && isGenuine(first) ? rootKeys.find(id, since) : undefined
  }
  let looking = 0
  const pairsFor = async (purpose: KeyPairPurpose) => {
    const pairs = (await keyPairs.fresh()).filter((pair) => pair.purpose === purpose)
    return nonEmpty(pairs.map(({ keyPair }) => keyPair))
  }

  return {
    async mintId(kind, payload = new Uint8Array()) {
      const { rootKey, firstKey } = await activeRootKey()
      const id = formatId(kind, { rootKey, firstKey, payload })
      return { id, rootKey: deriveRootKey(rootKey, id) }
    },

    async resolve(spelt, since = performance.now()) {
      const id = bytesOfId(spelt)
      const parsed = parseId(id)
      const key = parsed && (await rootKeyOf(parsed.rootKeyId, since, (first) => isGenuineId(id, first)))
      if (!key) return undefined
      const { kind, payload } = parsed
      return { kind, payload, rootKey: deriveRootKey(key, id), isText: isTextId(spelt) }
    },

    async sealText(purpose, plaintext) {
      return sealText(await activeRootKey(), purpose, plaintext)
    },

    async openText(purpose, text) {
      const parsed = parseText(text)
      const rootKey =
        parsed &&
        (await rootKeyOf(parsed.rootKeyId, performance.now(), (first) => isGenuineText(parsed, first)))
      return rootKey && openText(rootKey, purpose, parsed)
    },

    async fingerprint(purpose, text) {
      // Root keys are never deleted, so the first one stays the same through every rotation.
      const { firstKey } = await activeRootKey()
      const parts = Buffer.from(`${purpose}\0${text}`, 'utf8')
      return deriveKey(firstKey.secret, 'ratafia fingerprint', parts).toString('hex')
    },

    sealingKeyPair: async () => (await pairsFor('issuer'))[0],
    dischargerKeyPairs: () => pairsFor('discharger'),
    async lookForKeyPairs() {
      if (looking >= MOST_LOOKING) return false
      looking++
      try {
        await keyPairs.lookUp()
      } finally {
        looking--
      }
      return true
    },
    async refresh() {
      await Promise.all([rootKeys.read(), keyPairs.read()])
    },
    rotateRootKey: async (store) => describeRootKey(await rootKeys.add(makeRootKey, { store }), true),
    rotateDischargerKeyPair: async (store) =>
      describePair(await keyPairs.add(makePair('discharger'), { store }), true),

    async list() {
      await Promise.all([rootKeys.read(), keyPairs.read()])
      const roots = (await rootKeys.fresh()).map((key, index) => describeRootKey(key, index === 0))
      const all = await keyPairs.fresh()
      // Newest first, so the first pair with a purpose is the active one.
      const pairs = all.map((pair) =>
        describePair(pair, all.find((p) => p.purpose === pair.purpose) === pair),
      )
      return [...roots, ...pairs]
    },
  }
}

/** Returns the keys, at least one: opening created the missing ones, and keys are never deleted. */
function nonEmpty<T>(keys: readonly T[]): readonly [T, ...T[]] {
  const [newest, ...older] = keys
  if (newest === undefined) throw new TypeError('The keyring is empty: was it opened?')
  return [newest, ...older]
}

function describeRootKey({ id, createdAt }: RootKey, active: boolean): KeyDescription {
  return { kind: 'root', id, createdAt, active, publicKey: undefined }
}

function describePair({ id, purpose, createdAt, keyPair }: StoredKeyPair, active: boolean): KeyDescription {
  return { kind: purpose, id, createdAt, active, publicKey: keyPair.publicKey }
}
