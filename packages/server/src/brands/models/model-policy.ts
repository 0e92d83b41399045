/** The policy of a model, which the operator chooses, and the name of a model. */
import { invalidField } from '../../errors.ts'

export const REGISTRATIONS = ['auto', 'allow-list', 'approval'] as const
export const PROPOSED_SERIALS = ['required', 'optional', 'ignored'] as const
export const TAKEN_SERIALS = ['refuse', 'reissue'] as const

export interface ModelPolicy {
  /** Which devices can register: all, those on the allow-list, or those that the operator approves. */
  readonly registration: (typeof REGISTRATIONS)[number]
  /** How to handle a serial number that the device proposes. */
  readonly proposedSerial: (typeof PROPOSED_SERIALS)[number]
  /** How to handle a new device key that requests a serial number of another. */
  readonly takenSerial: (typeof TAKEN_SERIALS)[number]
  /** The template of serial numbers, such as `AC-{number:8}`; null for UUIDs. */
  readonly serialTemplate: string | null
  /** Whether a device must prove that it has the key built into its hardware. */
  readonly hardwareIdentity: boolean
  /** Whether a device with a clone cannot open a session until the operator reviews it. */
  readonly quarantineClones: boolean
}

/** The defaults of all settings except `registration`, which the operator must choose. */
export const DEFAULT_POLICY: Omit<ModelPolicy, 'registration'> = {
  proposedSerial: 'optional',
  takenSerial: 'refuse',
  serialTemplate: null,
  hardwareIdentity: false,
  quarantineClones: false,
}

/** A model, named by its brand's account id and its own name. */
export interface ModelName {
  readonly brandId: string
  readonly model: string
}

export interface StoredModel extends ModelName {
  readonly policy: ModelPolicy
  readonly addedAt: Date
}

/** A model that a device wants to register as. */
export interface OpenModel extends StoredModel {
  /** True if it has, or had, an API key: devices then need one. Once the last is revoked, no device can register. */
  readonly needsApiKey: boolean
}

/** Reads `BRAND/MODEL`. Throws `invalid-field`. */
export function parseModelName(text: string): ModelName {
  const [brandId, model, more] = text.split('/')
  if (brandId && model && more === undefined) return { brandId, model }
  throw invalidField(
    `${JSON.stringify(text.slice(0, 128))} does not name a model. Write BRAND/MODEL, as \`ratafia models list\` shows it.`,
    { field: 'model' },
  )
}

export const showModelName = ({ brandId, model }: ModelName): string => `${brandId}/${model}`
