/** `ratafia models`: the models that devices can register as, and their policies. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { DEFAULT_POLICY } from '../../../brands/models/model-policy.ts'
import type { CommandContext, CommonOptions } from '../../context.ts'
import { readNamed, textOfFile } from '../../files.ts'
import { withJson } from '../../output.ts'
import { goes, withService } from '../../service/ways.ts'
import { remodelCommands, removeModelCommand, setPolicyCommand } from './changed-models.ts'
import { listedFields, printModel } from './model-output.ts'
import { type PolicyOptions, policyOf, wirePolicyOf, withPolicy } from './policy-options.ts'
import { listModelsCommand, showModelCommand } from './seen-models.ts'

export function modelCommands(parent: Command, context: CommandContext): void {
  const models = parent
    .command('models')
    .description('manage models, which devices register as, and their policies')

  addModelCommand(models, context)
  updateModelCommand(models, context)

  listModelsCommand(models, context)
  showModelCommand(models, context)

  setPolicyCommand(models, context)
  remodelCommands(models, context)
  removeModelCommand(models, context)
}

/** The options of `ratafia models add`. The command reads the file itself, on the database and over HTTP. */
type AddOptions = PolicyOptions & CommonOptions & Required<Pick<PolicyOptions, 'registration'>>

function addModelCommand(models: Command, context: CommandContext): void {
  goes(withPolicy(models.command('add <file>'), true), 'both', ['addModel'])
    .description('add a model: its assertion, and which devices can register')
    .action(async (path: string, options: AddOptions) => {
      const file = await readNamed(path)
      const policy = { ...DEFAULT_POLICY, registration: options.registration, ...policyOf(options) }
      const record = await withService(context, options, 'change', async (service) => {
        const { assertionIn } = await import('../../../brands/assertion-file.ts')
        const { checkSerialTemplate } = await import('../../../brands/models/serial-template.ts')
        // Checks the file here, so that messages about it contain its name.
        checkSerialTemplate(policy.serialTemplate)
        assertionIn(file, 'model')
        const body = { assertion: textOfFile(file), policy: wirePolicyOf(options) }
        return listedFields((await service.call(api.addModel, { body })).record)
      })
      printModel(context, options, record, `Added the model ${record['brand_id']}/${record['model']}.`)
    })
}

function updateModelCommand(models: Command, context: CommandContext): void {
  goes(withJson(models.command('update <file>')), 'both', ['updateModel'])
    .description('replace the assertion with a newer revision; the policy stays unchanged')
    .action(async (path: string, options: CommonOptions) => {
      const file = await readNamed(path)
      const record = await withService(context, options, 'change', async (service) => {
        const { assertionIn } = await import('../../../brands/assertion-file.ts')
        const { brandId: brand, model } = assertionIn(file, 'model').assertion.fields
        const body = { assertion: textOfFile(file) }
        return listedFields((await service.call(api.updateModel, { names: { brand, model }, body })).record)
      })
      const name = `${record['brand_id']}/${record['model']}`
      printModel(context, options, record, `Updated the assertion of ${name}.`)
    })
}
