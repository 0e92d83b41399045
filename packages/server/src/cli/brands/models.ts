/** `ratafia models`: what devices may register as, and on what terms. */
import { type Command, Option } from 'commander'
import {
  DEFAULT_POLICY,
  type ModelPolicy,
  PROPOSED_SERIALS,
  parseModelName,
  REGISTRATIONS,
  showModelName,
  TAKEN_SERIALS,
} from '../../brands/models/model-policy.ts'
import { invalidField } from '../../errors.ts'
import { actOnEach } from '../act-on-each.ts'
import { withYes, type YesOption } from '../confirm.ts'
import type { CommandContext } from '../context.ts'
import { readNamed } from '../files.ts'
import type { Installation } from '../installation.ts'
import { counted, type JsonOption, print, withJson } from '../output.ts'
import { listModelsCommand, showModelCommand } from './seen-models.ts'

interface PolicyOptions extends JsonOption {
  readonly registration?: ModelPolicy['registration']
  readonly proposedSerial?: ModelPolicy['proposedSerial']
  readonly takenSerial?: ModelPolicy['takenSerial']
  readonly serialTemplate?: string
  readonly hardwareIdentity?: 'required' | 'ignored'
  readonly clones?: 'quarantine' | 'record'
}

export function modelCommands(parent: Command, context: CommandContext): void {
  const models = parent.command('models').description('the models that devices may register as')

  withPolicy(models.command('add <file>'), true)
    .description('add a model: its assertion, and who may register as it')
    .action(async (path: string, options: PolicyOptions & Required<Pick<PolicyOptions, 'registration'>>) => {
      const { addModel } = await import('../../brands/models/add-model.ts')
      const { modelRecord } = await import('../../brands/models/model-record.ts')
      const file = await readNamed(path)
      const policy = { ...DEFAULT_POLICY, registration: options.registration, ...policyOf(options) }
      const model = await context.withInstallation((installation) =>
        addModel({ file, policy, authority: installation.authority }, installation),
      )
      print(context, options, modelRecord(model), `The model ${showModelName(model)} is added.`)
    })

  withJson(models.command('update <file>'))
    .description('replace the assertion with a newer revision; the policy stays')
    .action(async (path: string, options: JsonOption) => {
      const { updateModel } = await import('../../brands/models/add-model.ts')
      const { modelRecord } = await import('../../brands/models/model-record.ts')
      const file = await readNamed(path)
      const model = await context.withInstallation((installation) =>
        updateModel({ file, authority: installation.authority }, installation),
      )
      print(context, options, modelRecord(model), `The assertion of ${showModelName(model)} is up to date.`)
    })

  listModelsCommand(models, context)
  showModelCommand(models, context)

  withPolicy(models.command('set-policy <brand/model>'), false)
    .description('change the policy of a model; what you leave out stays')
    .action(async (text: string, options: PolicyOptions) => {
      const { modelRecord } = await import('../../brands/models/model-record.ts')
      const { setPolicy } = await import('../../brands/models/set-policy.ts')
      const model = await context.withInstallation(async (installation) => {
        const changes = policyOf(options)
        if (Object.keys(changes).length === 0) {
          throw invalidField('There is nothing to change: give an option.')
        }
        const { authority } = installation
        return setPolicy({ model: parseModelName(text), changes, authority }, installation)
      })
      print(context, options, modelRecord(model), `The policy of ${showModelName(model)} is set.`)
    })

  withJson(models.command('allow-remodel <from> <to>'))
    .description('let devices of one model (BRAND/MODEL) become another')
    .action(async (from: string, to: string, options: JsonOption) => {
      const { remodelRecord } = await import('../../brands/models/list-remodels.ts')
      const { allowRemodel } = await import('../../brands/models/remodel.ts')
      const pair = { from: parseModelName(from), to: parseModelName(to) }
      const remodel = await context.withInstallation((installation) =>
        allowRemodel({ ...pair, authority: installation.authority }, installation),
      )
      print(context, options, remodelRecord(remodel), `Devices of ${from} may become ${to}.`)
    })

  withJson(models.command('disallow-remodel <from> <to>'))
    .description('no longer let devices of one model become another; those that did stay as they are')
    .action(async (from: string, to: string, options: JsonOption) => {
      const { remodelRecord } = await import('../../brands/models/list-remodels.ts')
      const { disallowRemodel } = await import('../../brands/models/remodel.ts')
      const pair = { from: parseModelName(from), to: parseModelName(to) }
      const remodel = await context.withInstallation((installation) =>
        disallowRemodel({ ...pair, authority: installation.authority }, installation),
      )
      print(context, options, remodelRecord(remodel), `Devices of ${from} may no longer become ${to}.`)
    })

  withYes(withJson(models.command('remove <brand/model...>')))
    .description('remove models that no device has, with their assertions, API keys and remodels')
    .action(async (names: readonly string[], options: JsonOption & YesOption) => {
      const { removeModel } = await import('../../brands/models/remove-model.ts')
      const consequence = async (text: string, { apiKeys }: Installation) => {
        const keys = await apiKeys.list(parseModelName(text))
        return `The model ${text} is removed for good, with ${counted(keys.length, 'API key')}.`
      }
      const act = async (text: string, installation: Installation) => {
        const { apiKeys, remodels } = await removeModel(
          { model: parseModelName(text), authority: installation.authority },
          installation,
        )
        const told = `The model ${text} is removed, with ${counted(apiKeys, 'API key')} and ${counted(remodels, 'remodel')}.`
        return { value: { removed: text, api_keys: apiKeys, remodels }, told }
      }
      await actOnEach(names, { thing: 'model', done: 'removed', consequence, act }, options, context)
    })
}

const POLICY_OPTIONS: readonly (readonly [flags: string, meaning: string, choices?: readonly string[]])[] = [
  [
    '--registration <who>',
    'who may register: everyone, devices on the allow-list, or those you approve',
    REGISTRATIONS,
  ],
  [
    '--proposed-serial <rule>',
    'whether devices must, may or cannot propose their serial number (default for a new model: optional)',
    PROPOSED_SERIALS,
  ],
  [
    '--taken-serial <rule>',
    'what to do when a new key asks for a taken serial number (default for a new model: refuse)',
    TAKEN_SERIALS,
  ],
  [
    '--serial-template <template>',
    'template of the serial numbers made here, such as AC-{number:8}; or uuid',
  ],
  [
    '--hardware-identity <rule>',
    'proof of the key built into the hardware (default for a new model: ignored)',
    ['required', 'ignored'],
  ],
  [
    '--clones <rule>',
    'what to do with a device that has a clone (default for a new model: record)',
    ['quarantine', 'record'],
  ],
]

function withPolicy(command: Command, isNew: boolean): Command {
  withJson(command)
  for (const [flags, meaning, choices] of POLICY_OPTIONS) {
    const option = new Option(flags, meaning).makeOptionMandatory(isNew && choices === REGISTRATIONS)
    command.addOption(choices ? option.choices([...choices]) : option)
  }
  return command
}

/** The options that were given. */
function policyOf(options: PolicyOptions): Partial<ModelPolicy> {
  const { registration, proposedSerial, takenSerial, serialTemplate, hardwareIdentity, clones } = options
  return {
    ...(registration === undefined ? {} : { registration }),
    ...(proposedSerial === undefined ? {} : { proposedSerial }),
    ...(takenSerial === undefined ? {} : { takenSerial }),
    ...(serialTemplate === undefined
      ? {}
      : { serialTemplate: serialTemplate === 'uuid' ? null : serialTemplate }),
    ...(hardwareIdentity === undefined ? {} : { hardwareIdentity: hardwareIdentity === 'required' }),
    ...(clones === undefined ? {} : { quarantineClones: clones === 'quarantine' }),
  }
}
