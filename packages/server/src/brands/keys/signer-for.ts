/** Decides which key signs the serials of a model, and checks everything again (contract/devices.md 2.4). */
import {
  AssertionError,
  checkKeyMaySign,
  type Headers,
  type PrivateKey,
  type TrustedAssertion,
  type UnverifiedAssertion,
  verifyTrust,
} from '@ratafia/assertions'
import { invalidField, RequestError } from '../../errors.ts'
import type { Stores, TransactionStores } from '../../stores.ts'
import type { StoredSigningKey } from '../brand-store.ts'
import { findModelAssertion } from '../models/find-model.ts'
import { type ModelName, showModelName } from '../models/model-policy.ts'
import { findAssertion, trustContext } from '../trust/trust.ts'
import { checkSigningKey } from './signing-key-fit.ts'
import { openPrivateKey } from './signing-key-secret.ts'

export interface Signer {
  /** The brand, or an account that the model's `serial-authority` names. */
  readonly authorityId: string
  readonly key: PrivateKey
  readonly model: TrustedAssertion<'model'>
}

/** The known headers of a serial before it is signed. More headers make the check of constraints stricter. */
export interface SerialDraft extends ModelName {
  /** Absent while no serial is known. Constraints on it are then ignored. */
  readonly headers?: Headers
}

/**
 * Returns the signer of this model's serials: a key of the brand if one fits, otherwise of an account that the model
 * names. Checks that the chains of model and key reach a root, that the key is valid now, and that its constraints
 * allow this serial. Throws `invalid-field` if no key fits, with a sentence for each unfit key; `KeyringError` for a
 * damaged key.
 */
export async function signerFor(draft: SerialDraft, stores: Stores): Promise<Signer> {
  const find = async (own: Stores) => signerOf(await trustedModel(draft, own), draft.headers, own)
  if (!stores.brandMemory) return find(stores)
  try {
    return await find(stores)
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    // An operator may have just added a key, so nothing is refused because of cached data.
    return find({ ...stores, brandMemory: undefined })
  }
}

/** Does the same as {@link signerFor}, but returns the refusal. */
export async function signerOrFault(
  name: ModelName,
  stores: Stores,
): Promise<Signer | { readonly fault: string }> {
  try {
    return await signerFor(name, stores)
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    return { fault: error.message }
  }
}

/** Does the same as {@link signerFor} for a model assertion whose chain is verified. It doesn't need to be stored. */
export async function signerOf(
  model: TrustedAssertion<'model'>,
  headers: Headers | undefined,
  stores: Stores,
): Promise<Signer> {
  const { brandId, serialAuthority } = model.fields
  const reasons: string[] = []
  for (const authorityId of new Set([brandId, ...serialAuthority])) {
    const keys = await enabledKeys(authorityId, stores)
    if (keys.length === 0) reasons.push(missingKey(authorityId))
    for (const key of keys) {
      const signer = await trySigner(key, model, headers, stores)
      if (typeof signer !== 'string') return signer
      reasons.push(signer)
    }
  }
  throw invalidField(`No key here can sign serials of ${showModelName(model.fields)}. ${reasons.join(' ')}`, {
    field: 'model',
  })
}

/** Returns the signer, or why the key doesn't fit. */
async function trySigner(
  stored: StoredSigningKey,
  model: TrustedAssertion<'model'>,
  headers: Headers | undefined,
  stores: Stores,
): Promise<Signer | string> {
  const { keyId, accountId } = stored
  const accountKey = await findAssertion('account-key', [keyId], stores)
  const account = await findAssertion('account', [accountId], stores)
  if (!accountKey || !account) {
    return `The assertions of key ${keyId} are missing: add them with \`ratafia brands add\`.`
  }
  try {
    const context = await trustContext(stores)
    await checkSigningKey(accountKey, context)
    await verifyTrust(account, context)
    checkMaySign(accountKey, serialHeaders(model, accountId, headers), headers === undefined)
  } catch (error) {
    if (error instanceof RequestError) return error.message
    if (error instanceof AssertionError) return `${error.message}.`
    throw error
  }
  return { authorityId: accountId, key: await openedKey(stored, stores), model }
}

async function enabledKeys(
  accountId: string,
  { brands, brandMemory }: TransactionStores,
): Promise<readonly StoredSigningKey[]> {
  const read = async () => {
    const keys = (await brands.keys(accountId)).filter(({ disabledAt }) => disabledAt === null)
    return keys.length > 0 ? keys : undefined
  }
  return (await (brandMemory?.current()?.find(`signing-keys ${accountId}`, read) ?? read())) ?? []
}

/** Cached: opening a key costs a third of a signature. Storing the serial checks whether the key can still sign. */
async function openedKey(stored: StoredSigningKey, { sealer, brandMemory }: Stores): Promise<PrivateKey> {
  const open = async () => openPrivateKey(stored, sealer)
  return (await brandMemory?.current()?.find(`signing-key ${stored.keyId}`, open)) ?? open()
}

/** With `general`, compares only the headers that the model determines, because the others are not known yet. */
function checkMaySign(
  accountKey: UnverifiedAssertion<'account-key'>,
  headers: Headers,
  general: boolean,
): void {
  const { constraints } = accountKey.fields
  const known = general
    ? constraints?.map((entry) => new Map([...entry].filter(([name]) => headers.has(name))))
    : constraints
  checkKeyMaySign({ ...accountKey, fields: { ...accountKey.fields, constraints: known } }, headers)
}

function serialHeaders(
  { fields }: TrustedAssertion<'model'>,
  authorityId: string,
  headers: Headers | undefined,
): Headers {
  const own = [
    ['type', 'serial'],
    ['authority-id', authorityId],
    ['brand-id', fields.brandId],
    ['model', fields.model],
  ] as const
  return new Map([...(headers ?? []), ...own])
}

async function trustedModel(name: ModelName, stores: Stores): Promise<TrustedAssertion<'model'>> {
  const model = await findModelAssertion(name, stores)
  if (!model) throw invalidField(`This service has no model ${showModelName(name)}.`, { field: 'model' })
  try {
    return await verifyTrust(model, await trustContext(stores))
  } catch (error) {
    if (!(error instanceof AssertionError)) throw error
    throw invalidField(`The model ${showModelName(name)} is no longer trusted: ${error.message}.`, {
      field: 'model',
      cause: error,
    })
  }
}

function missingKey(authorityId: string): string {
  if (authorityId === 'generic') return 'Only Canonical signs serials for generic.'
  return `There is no signing key of ${authorityId}: add one with \`ratafia brands add\` or \`ratafia signing-keys add\`.`
}
