/** What SECURITY.md warns of in the policies of models, for whoever sets or looks at one. */
import type { OpenModel } from './model-policy.ts'

export interface PolicyWarning {
  /** The setting that it is about, as the record of a model names it. No two warnings of a model have the same. */
  readonly setting: 'registration' | 'taken_serial' | 'hardware_identity'
  readonly warning: string
}

interface Danger extends PolicyWarning {
  readonly isMeant: (model: OpenModel) => boolean
}

/** Registers everybody who knows the model assertion. */
const isOpen = ({ policy, needsApiKey }: OpenModel): boolean => policy.registration === 'auto' && !needsApiKey

const DANGERS: readonly Danger[] = [
  {
    isMeant: (model) => isOpen(model) && model.policy.takenSerial === 'reissue',
    setting: 'taken_serial',
    warning:
      'Anybody can take over the serial number of any device: taken serials are reissued, and registration needs no API key. Refuse taken serials, or ask for an API key.',
  },
  {
    isMeant: (model) => isOpen(model) && !model.policy.hardwareIdentity,
    setting: 'registration',
    warning:
      'Anybody who has the model assertion gets a serial, and the assertion is not secret. Ask for an API key, an allow-list, approval or a hardware identity where it matters.',
  },
  {
    isMeant: (model) => isOpen(model) && model.policy.hardwareIdentity,
    setting: 'hardware_identity',
    warning:
      'One board can get any number of serials, because it may vouch for several device keys. Ask for an API key, an allow-list or approval to limit them.',
  },
]

/** A sentence or two for each danger; most policies have none. */
export const policyWarnings = (model: OpenModel): readonly PolicyWarning[] =>
  DANGERS.filter(({ isMeant }) => isMeant(model)).map(({ setting, warning }) => ({ setting, warning }))
