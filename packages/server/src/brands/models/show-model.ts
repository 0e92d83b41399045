/** Shows a model with its assertion and the signer of its serials. */
import type { Stores } from '../../stores.ts'
import { signerOrFault } from '../keys/signer-for.ts'
import { findModelAssertion, type NamedModel, seenModel } from './find-model.ts'
import { type OpenModel, showModelName } from './model-policy.ts'

export interface ModelDetails extends OpenModel {
  readonly revision: number
  readonly displayName: string | undefined
  readonly architecture: string | undefined
  readonly base: string | undefined
  readonly grade: string | undefined
  readonly classic: boolean
  readonly signedAt: Date
  readonly store: string | undefined
  readonly serialAuthority: readonly string[]
  /** The key that signs now, or why no key can. */
  readonly signer: { readonly authorityId: string; readonly keyId: string } | { readonly fault: string }
}

/** Throws {@link RequestError} as `seenModel` does. */
export const showModel = async (named: NamedModel, stores: Stores): Promise<ModelDetails> =>
  modelDetails(await seenModel(named, stores), stores)

export async function modelDetails(model: OpenModel, stores: Stores): Promise<ModelDetails> {
  const assertion = await findModelAssertion(model, stores)
  if (!assertion) throw new TypeError(`the model ${showModelName(model)} has no assertion: a row is missing`)
  const signer = await signerOrFault(model, stores)
  const { displayName, architecture, base, grade, classic, timestamp, store, serialAuthority } =
    assertion.fields
  return {
    ...model,
    ...{ revision: assertion.revision, displayName, architecture, base, grade, classic },
    ...{ signedAt: timestamp, store, serialAuthority },
    signer: 'fault' in signer ? signer : { authorityId: signer.authorityId, keyId: signer.key.publicKey.id },
  }
}
