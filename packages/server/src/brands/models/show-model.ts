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

export const modelRecord = (model: OpenModel) => ({
  brand_id: model.brandId,
  model: model.model,
  registration: model.policy.registration,
  proposed_serial: model.policy.proposedSerial,
  taken_serial: model.policy.takenSerial,
  serials: model.policy.serialTemplate ?? 'uuid',
  hardware_identity: model.policy.hardwareIdentity ? ('required' as const) : ('ignored' as const),
  clones: model.policy.quarantineClones ? ('quarantine' as const) : ('record' as const),
  added_at: model.addedAt.toISOString(),
  warnings: policyWarnings(model).map(({ warning }) => warning),
})

/** The record of a single model. */
export const modelDetailsRecord = ({ signer, ...model }: ModelDetails) => ({
  ...modelRecord(model),
  warnings_by_setting: policyWarnings(model),
  revision: model.revision,
  display_name: model.displayName ?? null,
  architecture: model.architecture ?? null,
  base: model.base ?? null,
  grade: model.grade ?? null,
  classic: model.classic,
  signed_at: model.signedAt.toISOString(),
  store: model.store ?? null,
  serial_authority: model.serialAuthority,
  signer: 'fault' in signer ? null : { authority_id: signer.authorityId, key_id: signer.keyId },
  signer_fault: 'fault' in signer ? signer.fault : null,
})

interface PolicyWarning {
  /** The setting's name in the record of a model. No two warnings of a model have the same one. */
  readonly setting: 'registration' | 'taken_serial' | 'hardware_identity'
  readonly warning: string
}

interface Danger extends PolicyWarning {
  readonly isMeant: (model: OpenModel) => boolean
}

/** Checks whether anyone who has the model assertion can register. */
const isOpen = ({ policy, needsApiKey }: OpenModel): boolean => policy.registration === 'auto' && !needsApiKey

const DANGERS: readonly Danger[] = [
  {
    isMeant: (model) => isOpen(model) && model.policy.takenSerial === 'reissue',
    setting: 'taken_serial',
    warning:
      'Anyone can take over the serial number of any device: taken serials are reissued, and registration needs no API key. Refuse taken serials, or require an API key.',
  },
  {
    isMeant: (model) => isOpen(model) && !model.policy.hardwareIdentity,
    setting: 'registration',
    warning:
      'Anyone who has the model assertion gets a serial, and the assertion is not secret. Require an API key, an allow-list, approval or a hardware identity where it matters.',
  },
  {
    isMeant: (model) => isOpen(model) && model.policy.hardwareIdentity,
    setting: 'hardware_identity',
    warning:
      'One board can get any number of serials, because it can vouch for several device keys. Require an API key, an allow-list or approval to limit them.',
  },
]

/** Returns the dangers that SECURITY.md warns of, in a sentence or two each. Most policies have none. */
const policyWarnings = (model: OpenModel): readonly PolicyWarning[] =>
  DANGERS.filter(({ isMeant }) => isMeant(model)).map(({ setting, warning }) => ({ setting, warning }))
