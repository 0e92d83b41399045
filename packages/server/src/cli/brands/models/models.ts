/** `ratafia models`: what devices may register as, and on what terms. */

import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { DEFAULT_POLICY } from '../../../brands/models/model-policy.ts'
import type { CommandContext } from '../../context.ts'
import { readNamed, textOfFile } from '../../files.ts'
import { type JsonOption, withJson } from '../../output.ts'
import { goes, type WayOptions, withService } from '../../service/ways.ts'
import { remodelCommands, removeModelCommand, setPolicyCommand } from './changed-models.ts'
import { listedFields, printModel } from './model-output.ts'
import { type PolicyOptions, policyOf, wirePolicyOf, withPolicy } from './policy-options.ts'
import { listModelsCommand, showModelCommand } from './seen-models.ts'

export function modelCommands(parent: Command, context: CommandContext): void {
  const models = parent.command('models').description('the models that devices may register as')

  addModelCommand(models, context)
  updateModelCommand(models, context)

  listModelsCommand(models, context)
  showModelCommand(models, context)

  setPolicyCommand(models, context)
  remodelCommands(models, context)
  removeModelCommand(models, context)
}

/** `ratafia models add` and `update`, on the database or at a service: the file stays with the command. */
type AddOptions = PolicyOptions & WayOptions & Required<Pick<PolicyOptions, 'registration'>>

function addModelCommand(models: Command, context: CommandContext): void {
  goes(withPolicy(models.command('add <file>'), true), 'both', ['addModel'])
    .description('add a model: its assertion, and who may register as it')
    .action(async (path: string, options: AddOptions) => {
      const file = await readNamed(path)
      const policy = { ...DEFAULT_POLICY, registration: options.registration, ...policyOf(options) }
      const record = await withService(context, options, 'change', async (service) => {
        const { assertionIn } = await import('../../../brands/assertion-file.ts')
        const { checkSerialTemplate } = await import('../../../brands/models/serial-template.ts')
        // What is wrong with the file is said of the file, by its name.
        checkSerialTemplate(policy.serialTemplate)
        assertionIn(file, 'model')
        const body = { assertion: textOfFile(file), policy: wirePolicyOf(options) }
        return listedFields((await service.call(api.addModel, { body })).record)
      })
      printModel(context, options, record, `The model ${record['brand_id']}/${record['model']} is added.`)
    })
}

function updateModelCommand(models: Command, context: CommandContext): void {
  goes(withJson(models.command('update <file>')), 'both', ['updateModel'])
    .description('replace the assertion with a newer revision; the policy stays')
    .action(async (path: string, options: JsonOption & WayOptions) => {
      const file = await readNamed(path)
      const record = await withService(context, options, 'change', async (service) => {
        const { assertionIn } = await import('../../../brands/assertion-file.ts')
        const { brandId: brand, model } = assertionIn(file, 'model').assertion.fields
        const body = { assertion: textOfFile(file) }
        return listedFields((await service.call(api.updateModel, { names: { brand, model }, body })).record)
      })
      const name = `${record['brand_id']}/${record['model']}`
      printModel(context, options, record, `The assertion of ${name} is up to date.`)
    })
}
