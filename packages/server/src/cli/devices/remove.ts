/** `ratafia devices remove`: removes personal data, for data protection. */
import type { Command } from 'commander'
import { type Device, describeDevice } from '../../devices/device.ts'
import { confirmTyped, withNeededYes } from '../confirm.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { counted, print, withJson } from '../output.ts'

export function removeCommand(devices: Command, context: CommandContext): void {
  withNeededYes(withJson(devices.command('remove <devices...>')))
    .description(
      'remove the personal data of devices that are revoked, superseded, rejected or pending; serials stay taken',
    )
    .action(async (names: readonly string[], options: CommonOptions) => {
      const { findRemovable, removeDevice } = await import('../../devices/removal/remove-device.ts')
      const { fieldsOf } = await import('../../devices/transfer/device-record.ts')
      const removed = await context.withInstallation(async (installation) => {
        // Finds all devices before it removes the first, so that a wrong name changes nothing.
        const found: Device[] = []
        for (const name of names)
          found.push(await findRemovable({ name, authority: installation.authority }, installation))
        const ids = [...new Set(found.map(({ id }) => id))]
        await confirmTyped(context, options, () => ({
          told: `${found.map(describeDevice).join('\n')}\nThis removes ${counted(ids.length, 'device')} with addresses, sessions, assertions and evidence. It cannot be undone.`,
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
  row: 'was removed. Its serial number and its key stay taken.',
  nothing: 'was removed with its row. It can register again.',
  before: 'was already removed.',
} as const
