/** `ratafia hardware-identities`: which keys are built into which boards. */
import type { Command } from 'commander'
import type { CommandContext } from '../context.ts'
import { readNamed } from '../files.ts'
import {
  counted,
  type JsonOption,
  print,
  printList,
  type RowOf,
  rowsOf,
  withJson,
  withList,
} from '../output.ts'
import { withProgress } from '../progress.ts'

const COLUMNS = [
  'issuer_id',
  'hardware_id',
  'hardware_name',
  'manufacturer',
  'key_sha3_384',
  'key_sha384',
] as const

export function hardwareIdentityCommands(parent: Command, context: CommandContext): void {
  const identities = parent
    .command('hardware-identities')
    .description('the keys built into hardware, for models that require proof of them')

  withJson(identities.command('import <file...>'))
    .description('add hardware-identity assertions, one or a stream in each file (up to 128 in one)')
    .action(async (files: readonly string[], options: JsonOption) => {
      const { importHardwareIdentities } = await import(
        '../../brands/models/hardware/import-hardware-identities.ts'
      )
      const named = await Promise.all(files.map(readNamed))
      const imported = await context.withInstallation((installation) =>
        withProgress(context.streams, ['Importing', 'hardware identities'], (onProgress) =>
          importHardwareIdentities(named, { onProgress }, installation),
        ),
      )
      print(
        context,
        options,
        { imported },
        `${counted(imported, 'hardware identity', 'hardware identities')} imported.`,
      )
    })

  withList(identities.command('list'), COLUMNS)
    .description('list all hardware identities, by the digest of the key')
    .action(async (options: JsonOption) => {
      const { listHardwareIdentities } = await import(
        '../../brands/models/hardware/list-hardware-identities.ts'
      )
      const rows = await context.readInstallation((installation) =>
        rowsOf(
          listHardwareIdentities(installation),
          (one): RowOf<typeof COLUMNS> => ({
            issuer_id: one.issuerId,
            hardware_id: one.hardwareId,
            hardware_name: one.hardwareName,
            manufacturer: one.manufacturer,
            key_sha3_384: one.keySha3,
            key_sha384: one.keySha2,
          }),
        ),
      )
      printList(context, options, rows, {
        columns: ['issuer_id', 'hardware_id', 'hardware_name', 'manufacturer', 'key_sha3_384'],
        empty: 'There is no hardware identity.',
      })
    })
}
