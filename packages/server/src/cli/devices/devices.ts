/** `ratafia devices`: the register of devices. */
import type { Command } from 'commander'
import type { CommandContext } from '../context.ts'
import { type JsonOption, print, withJson } from '../output.ts'
import { goes, type WayOptions } from '../service/ways.ts'
import { countsCommand } from './counts.ts'
import { decisionCommands } from './decisions.ts'
import { listCommand } from './list.ts'
import { decideOne, describeRecord, OPERATIONS } from './one-device.ts'
import { removeCommand } from './remove.ts'
import { showCommand } from './show.ts'
import { exportCommand } from './transfer/export.ts'
import { importCommand } from './transfer/import.ts'

export function deviceCommands(parent: Command, context: CommandContext): void {
  const devices = parent
    .command('devices')
    .description('the register of devices: which devices have which serials')

  listCommand(devices, context)

  countsCommand(devices, context)

  showCommand(devices, context)

  decisionCommands(devices, context)

  goes(withJson(devices.command('release <device>')), 'both', ['releaseDevice', 'devices', 'device'])
    .description('release a device from quarantine')
    .action(async (name: string, options: JsonOption & WayOptions) => {
      const record = await decideOne(
        {
          name,
          prefer: ['active'],
          operation: OPERATIONS.release,
          body: {},
          directly: async (installation) => {
            const { releaseDevice } = await import('../../devices/release.ts')
            return (await releaseDevice({ name, authority: installation.authority }, installation)).device
          },
        },
        options,
        context,
      )
      print(context, options, record, `${describeRecord(record)} may have sessions.`)
    })

  removeCommand(devices, context)

  exportCommand(devices, context)
  importCommand(devices, context)
}
