/** `ratafia models`: what devices may register as, and on what terms. */
import type { Command } from 'commander'
import type { CommandContext } from '../../context.ts'
import { addModelCommand, updateModelCommand } from './added-models.ts'
import { remodelCommands, removeModelCommand, setPolicyCommand } from './changed-models.ts'
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
