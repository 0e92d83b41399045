/** What SECURITY.md warns of in the policies of models, for whoever sets or looks at one. */
import type { OpenModel } from './model-policy.ts'

interface Warning {
  readonly isMeant: (model: OpenModel) => boolean
  readonly text: string
}

/** Registers everybody who knows the model assertion. */
const isOpen = ({ policy, needsApiKey }: OpenModel): boolean => policy.registration === 'auto' && !needsApiKey

const WARNINGS: readonly Warning[] = [
  {
    isMeant: (model) => isOpen(model) && model.policy.takenSerial === 'reissue',
    text: 'Anybody can take over the serial number of any device: taken serials are reissued, and registration needs no API key. Refuse taken serials, or ask for an API key.',
  },
  {
    isMeant: (model) => isOpen(model) && !model.policy.hardwareIdentity,
    text: 'Anybody who has the model assertion gets a serial, and the assertion is not secret. Ask for an API key, an allow-list, approval or a hardware identity where it matters.',
  },
  {
    isMeant: (model) => isOpen(model) && model.policy.hardwareIdentity,
    text: 'One board can get any number of serials, because it may vouch for several device keys. Ask for an API key, an allow-list or approval to limit them.',
  },
]

/** A sentence or two for each danger; most policies have none. */
export const policyWarnings = (model: OpenModel): readonly string[] =>
  WARNINGS.filter(({ isMeant }) => isMeant(model)).map(({ text }) => text)
