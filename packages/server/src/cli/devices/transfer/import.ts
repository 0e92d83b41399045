/** `ratafia devices import`: adds devices from a file. */
import type { Command } from 'commander'
import type { ImportedDevices } from '../../../devices/transfer/import-devices.ts'
import type { CommandContext, CommonOptions } from '../../context.ts'
import { withLocalFile } from '../../files/local-file.ts'
import { IMPORT_OPERATIONS } from '../../jobs/import-operations.ts'
import { counted, print, withJson } from '../../output.ts'
import { goes, withService } from '../../service/ways.ts'
import { type FormatOption, withFormat } from './format.ts'

interface ImportOptions extends CommonOptions, FormatOption {
  readonly unknownModels?: boolean
  readonly dryRun?: boolean
}

export function importCommand(devices: Command, context: CommandContext): void {
  goes(withFormat(withJson(devices.command('import <file>'))), 'both', IMPORT_OPERATIONS)
    .description('add the devices in a file: all of them, or none if one is refused')
    .option('--unknown-models', 'also accept devices of models that are not in the register')
    .option('--dry-run', 'check every row against the register, show what would be added, and change nothing')
    .action((file: string, options: ImportOptions) => importFile(file, options, context))
}

async function importFile(file: string, options: ImportOptions, context: CommandContext): Promise<void> {
  const { unknownModels = false, dryRun = false } = options
  await withLocalFile(file, async (local) => {
    const format = options.format ?? (await local.format(' Pass --format.'))
    const wanted = { format, ...(unknownModels ? { unknown_models: true } : {}) }
    const asked = { kind: 'devices.import', files: [local], options: wanted, dryRun }
    const { importFileInto } = await import('../../jobs/import-file.ts')
    const { devices, added } = await withService(context, options, dryRun ? 'change' : 'begin', (service) =>
      importFileInto(service, asked, context.streams),
    )
    tell({ devices: Number(devices), added: Number(added) }, options, context)
  })
}

function tell(
  imported: ImportedDevices,
  options: CommonOptions & { readonly dryRun?: boolean },
  context: CommandContext,
): void {
  const { dryRun } = options
  const there = imported.devices - imported.added
  const told = `${counted(imported.added, 'device')} ${dryRun ? 'would be ' : ''}added${there > 0 ? `; ${there} already in the register` : ''}.`
  print(context, options, dryRun ? { dry_run: true, ...imported } : imported, told)
}
