/** `ratafia models`: what devices may register as, and on what terms. */
import { type Command, Option } from 'commander'
import {
  DEFAULT_POLICY,
  type ModelPolicy,
  PROPOSED_SERIALS,
  parseModelName,
  REGISTRATIONS,
  type StoredModel,
  showModelName,
  TAKEN_SERIALS,
} from '../../brands/models/model-policy.ts'
import { actOnEach } from '../act-on-each.ts'
import { withYes, type YesOption } from '../confirm.ts'
import type { CommandContext } from '../context.ts'
import { readNamed } from '../files.ts'
import type { Installation } from '../installation.ts'
import {
  counted,
  details,
  type JsonOption,
  print,
  printList,
  type RowOf,
  withJson,
  withList,
} from '../output.ts'

interface PolicyOptions extends JsonOption {
  readonly registration?: ModelPolicy['registration']
  readonly proposedSerial?: ModelPolicy['proposedSerial']
  readonly takenSerial?: ModelPolicy['takenSerial']
  readonly serialTemplate?: string
  readonly hardwareIdentity?: 'required' | 'ignored'
  readonly clones?: 'quarantine' | 'record'
}

const COLUMNS = [
  'brand_id',
  'model',
  'registration',
  'proposed_serial',
  'taken_serial',
  'serials',
  'hardware_identity',
  'clones',
  'added_at',
] as const

export function modelCommands(parent: Command, context: CommandContext): void {
  const models = parent.command('models').description('the models that devices may register as')

  withPolicy(models.command('add <file>'), true)
    .description('add a model: its assertion, and who may register as it')
    .action(async (path: string, options: PolicyOptions & Required<Pick<PolicyOptions, 'registration'>>) => {
      const { addModel } = await import('../../brands/models/add-model.ts')
      const file = await readNamed(path)
      const policy = { ...DEFAULT_POLICY, registration: options.registration, ...policyOf(options) }
      const model = await context.withInstallation((installation) => addModel({ file, policy }, installation))
      print(context, options, modelRow(model), `The model ${showModelName(model)} is added.`)
    })

  withJson(models.command('update <file>'))
    .description('replace the assertion with a newer revision; the policy stays')
    .action(async (path: string, options: JsonOption) => {
      const { updateModel } = await import('../../brands/models/add-model.ts')
      const file = await readNamed(path)
      const model = await context.withInstallation((installation) => updateModel(file, installation))
      print(context, options, modelRow(model), `The assertion of ${showModelName(model)} is up to date.`)
    })

  withList(models.command('list'), COLUMNS)
    .description('list all models, by brand')
    .action(async (options: JsonOption) => {
      const rows = await context.readInstallation(async (installation) =>
        (await installation.models.list()).map(modelRow),
      )
      printList(context, options, rows, {
        columns: ['brand_id', 'model', 'registration', 'proposed_serial', 'taken_serial', 'serials'],
        empty: 'There is no model yet. `ratafia models add FILE --registration …` adds one.',
      })
    })

  withJson(models.command('show <brand/model>'))
    .description('show one model: its policy, who signs, its remodels and API keys')
    .action(async (text: string, options: JsonOption) => {
      const { showModel } = await import('../../brands/models/show-model.ts')
      const model = await context.readInstallation((installation) =>
        showModel(parseModelName(text), installation),
      )
      const { signer } = model
      const fault = 'fault' in signer ? signer.fault : null
      const row = {
        ...modelRow(model),
        revision: model.revision,
        store: model.store ?? null,
        signer: 'fault' in signer ? null : `${signer.authorityId} ${signer.keyId}`,
        signer_fault: fault,
      }
      const lists = {
        serial_authority: model.serialAuthority,
        remodels: model.remodels.map(showModelName),
        api_keys: model.apiKeys.map(({ id, label }) => `${id} ${label}`),
      }
      const shown = Object.entries(lists).map(([name, list]) => [name, list.join(', ')] as const)
      print(context, options, { ...row, ...lists }, details({ ...row, ...Object.fromEntries(shown) }))
    })

  withPolicy(models.command('set-policy <brand/model>'), false)
    .description('change the policy of a model; what you leave out stays')
    .action(async (text: string, options: PolicyOptions) => {
      const { setPolicy } = await import('../../brands/models/set-policy.ts')
      const model = await context.withInstallation((installation) =>
        setPolicy(parseModelName(text), policyOf(options), installation),
      )
      print(context, options, modelRow(model), `The policy of ${showModelName(model)} is set.`)
    })

  withJson(models.command('allow-remodel <from> <to>'))
    .description('let devices of one model (BRAND/MODEL) become another')
    .action(async (from: string, to: string, options: JsonOption) => {
      const { allowRemodel } = await import('../../brands/models/remodel.ts')
      const pair = { from: parseModelName(from), to: parseModelName(to) }
      await context.withInstallation((installation) => allowRemodel(pair, installation))
      print(context, options, { from, to }, `Devices of ${from} may become ${to}.`)
    })

  withJson(models.command('disallow-remodel <from> <to>'))
    .description('no longer let devices of one model become another; those that did stay as they are')
    .action(async (from: string, to: string, options: JsonOption) => {
      const { disallowRemodel } = await import('../../brands/models/remodel.ts')
      const pair = { from: parseModelName(from), to: parseModelName(to) }
      await context.withInstallation((installation) => disallowRemodel(pair, installation))
      print(context, options, { from, to }, `Devices of ${from} may no longer become ${to}.`)
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
        const { apiKeys, remodels } = await removeModel(parseModelName(text), installation)
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

export const modelRow = ({ brandId, model, policy, addedAt }: StoredModel) =>
  ({
    brand_id: brandId,
    model,
    registration: policy.registration,
    proposed_serial: policy.proposedSerial,
    taken_serial: policy.takenSerial,
    serials: policy.serialTemplate ?? 'uuid',
    hardware_identity: policy.hardwareIdentity ? 'required' : 'ignored',
    clones: policy.quarantineClones ? 'quarantine' : 'record',
    added_at: addedAt.toISOString(),
  }) satisfies RowOf<typeof COLUMNS>
