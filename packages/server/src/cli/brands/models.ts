/** `ratafia models`: what devices may register as, and on what terms. */
import type { Command } from 'commander'
import { DEFAULT_POLICY, showModelName } from '../../brands/models/model-policy.ts'
import type { CommandContext } from '../context.ts'
import { readNamed } from '../files.ts'
import { type JsonOption, print, withJson } from '../output.ts'
import { remodelCommands, removeModelCommand, setPolicyCommand } from './changed-models.ts'
import { type PolicyOptions, policyOf, withPolicy } from './policy-options.ts'
import { listModelsCommand, showModelCommand } from './seen-models.ts'

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

  setPolicyCommand(models, context)
  remodelCommands(models, context)
  removeModelCommand(models, context)
}
