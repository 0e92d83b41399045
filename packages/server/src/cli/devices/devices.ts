/** `ratafia devices`: the register of devices. */
import type { Command } from 'commander'
import type { CommandContext } from '../context.ts'
import { countsCommand } from './counts.ts'
import { decisionCommands } from './decisions.ts'
import { listCommand } from './list.ts'
import { removeCommand } from './remove.ts'
import { showCommand } from './show.ts'
import { exportCommand } from './transfer/export.ts'
import { importCommand } from './transfer/import.ts'

export function deviceCommands(parent: Command, context: CommandContext): void {
  const devices = parent
    .command('devices')
    .description('search the register of devices, and approve, reject, revoke and release devices')

  listCommand(devices, context)

  countsCommand(devices, context)

  showCommand(devices, context)

  decisionCommands(devices, context)

  removeCommand(devices, context)

  exportCommand(devices, context)
  importCommand(devices, context)
}
