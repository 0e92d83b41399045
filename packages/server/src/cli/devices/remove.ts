/** `ratafia devices remove`: for the protection of data. */
import type { Command } from 'commander'
import { type Device, describeDevice } from '../../devices/device.ts'
import { confirmTyped, withNeededYes, type YesOption } from '../confirm.ts'
import type { CommandContext } from '../context.ts'
import { counted, type JsonOption, print, withJson } from '../output.ts'

export function removeCommand(devices: Command, context: CommandContext): void {
  withNeededYes(withJson(devices.command('remove <devices...>')))
    .description(
      'remove what is personal of devices that are revoked, superseded, rejected or waiting; serials stay taken',
    )
    .action(async (names: readonly string[], options: JsonOption & YesOption) => {
      const { findRemovable, removeDevice } = await import('../../devices/removal/remove-device.ts')
      const { fieldsOf } = await import('../../devices/transfer/device-record.ts')
      const removed = await context.withInstallation(async (installation) => {
        // All of them before the first is removed: nothing happens if one of the names is wrong.
        const found: Device[] = []
        for (const name of names)
          found.push(await findRemovable({ name, authority: installation.authority }, installation))
        const ids = [...new Set(found.map(({ id }) => id))]
        await confirmTyped(context, options, () => ({
          told: `${found.map(describeDevice).join('\n')}\n${counted(ids.length, 'device')} will be removed: addresses, sessions, assertions and evidence. This cannot be undone.`,
          type: ids.length === 1 ? (found[0]?.serial ?? ids[0] ?? '') : ids.length,
        }))
        const results = []
        for (const id of ids)
          results.push(await removeDevice({ name: id, authority: installation.authority }, installation))
        return results
      })
      print(
        context,
        options,
        removed.map(({ device, left }) => ({ ...fieldsOf(device), left })),
        removed.map(({ device, left }) => `${describeDevice(device)} ${TOLD[left]}`).join('\n'),
      )
    })
}

const TOLD = {
  row: 'is removed; its serial number and its key stay taken.',
  nothing: 'is removed with its row. It may ask for a serial again.',
  before: 'was removed before.',
} as const
