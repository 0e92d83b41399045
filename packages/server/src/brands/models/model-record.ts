/** Models as the API, `--json` and exports show them. Times are RFC 3339 in UTC. */
import type { OpenModel } from './model-policy.ts'
import { policyWarnings } from './policy-warnings.ts'
import type { ModelDetails } from './show-model.ts'

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

/** Of a single model. */
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
