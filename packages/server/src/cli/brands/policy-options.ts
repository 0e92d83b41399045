/** The options of `ratafia models` for a model's policy. */
import { type Command, Option } from 'commander'
import {
  type ModelPolicy,
  PROPOSED_SERIALS,
  parseModelName,
  REGISTRATIONS,
  TAKEN_SERIALS,
} from '../../brands/models/model-policy.ts'
import type { CommonOptions } from '../context.ts'
import { withJson } from '../output.ts'

export interface PolicyOptions extends CommonOptions {
  readonly registration?: ModelPolicy['registration']
  readonly proposedSerial?: ModelPolicy['proposedSerial']
  readonly takenSerial?: ModelPolicy['takenSerial']
  readonly serialTemplate?: string
  readonly hardwareIdentity?: 'required' | 'ignored'
  readonly clones?: 'quarantine' | 'record'
}

const POLICY_OPTIONS: readonly (readonly [flags: string, meaning: string, choices?: readonly string[]])[] = [
  [
    '--registration <who>',
    'which devices can register: all, those on the allow-list, or those you approve',
    REGISTRATIONS,
  ],
  [
    '--proposed-serial <rule>',
    'whether a proposed serial number is required, optional or ignored (default for a new model: optional)',
    PROPOSED_SERIALS,
  ],
  [
    '--taken-serial <rule>',
    'what to do when a new key requests a serial number that is taken (default for a new model: refuse)',
    TAKEN_SERIALS,
  ],
  ['--serial-template <template>', 'template for generated serial numbers, such as AC-{number:8}; or uuid'],
  [
    '--hardware-identity <rule>',
    'whether to require proof of a key built into the hardware (default for a new model: ignored)',
    ['required', 'ignored'],
  ],
  [
    '--clones <rule>',
    'what to do with a device that has a clone (default for a new model: record)',
    ['quarantine', 'record'],
  ],
]

export function withPolicy(command: Command, isNew: boolean): Command {
  withJson(command)
  for (const [flags, meaning, choices] of POLICY_OPTIONS) {
    const option = new Option(flags, meaning).makeOptionMandatory(isNew && choices === REGISTRATIONS)
    command.addOption(choices ? option.choices([...choices]) : option)
  }
  return command
}

/** Returns the settings for the management API; undefined for options that are not given. */
export const policyOf = (options: PolicyOptions) => ({
  registration: options.registration,
  proposed_serial: options.proposedSerial,
  taken_serial: options.takenSerial,
  serials: options.serialTemplate,
  hardware_identity: options.hardwareIdentity,
  clones: options.clones,
})

/** Returns the path parameters for BRAND/MODEL. Throws `invalid-field` for other text. */
export function modelParameters(text: string): { readonly brand: string; readonly model: string } {
  const { brandId: brand, model } = parseModelName(text)
  return { brand, model }
}
