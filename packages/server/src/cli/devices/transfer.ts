/** `ratafia devices export` and `import`: the register in a file. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import { type Command, Option } from 'commander'
import { DEVICE_COLUMNS, LISTED_COLUMNS } from '../../devices/transfer/device-columns.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { withLocalFile } from '../files/local-file.ts'
import { formatOf } from '../files.ts'
import { IMPORT_OPERATIONS } from '../jobs/follow-job.ts'
import { counted, print, withJson } from '../output.ts'
import { exportRows } from '../service/export-rows.ts'
import { goes, withService } from '../service/ways.ts'
import { filtersIn, withDeviceFilters } from './filter-options.ts'

interface FormatOptions extends CommonOptions {
  readonly format?: 'csv' | 'json'
}

interface ExportOptions extends FormatOptions {
  readonly listed?: boolean
}

interface ImportOptions extends FormatOptions {
  readonly unknownModels?: boolean
  readonly dryRun?: boolean
}

const withFormat = (command: Command): Command =>
  command.addOption(
    new Option('--format <format>', 'the format of the file (default: by its extension)').choices([
      'csv',
      'json',
    ]),
  )

export function exportCommand(devices: Command, context: CommandContext): void {
  goes(withDeviceFilters(withFormat(withJson(devices.command('export [file]')))), 'both', ['exportDevices'])
    .description('write the register to a file or to standard output; `devices import` reads the file')
    .option('--listed', 'export the columns of lists and when each device was last seen, without assertions')
    .action((file: string | undefined, options: ExportOptions) => {
      const { listed = false, format = file === undefined ? 'csv' : formatOf(file, ' Pass --format.') } =
        options
      // Sorted by registration time, because an import of the file adds devices in the order of registration.
      const order = { sort: 'registered', ...(listed ? {} : { whole: true }) }
      return exportRows(context, options, file, {
        ...{ operation: api.exportDevices, format, columns: listed ? LISTED_COLUMNS : DEVICE_COLUMNS },
        query: (now) => ({ ...filtersIn(options, now), ...order }),
        nouns: ['a device', 'device', 'devices'],
      })
    })
}

export function importCommand(devices: Command, context: CommandContext): void {
  goes(withFormat(withJson(devices.command('import <file>'))), 'both', IMPORT_OPERATIONS)
    .description('add the devices in a file: all of them, or none if one is refused')
    .option('--unknown-models', 'also accept devices of models that are not in the register')
    .option('--dry-run', 'check every row against the register, show what would be added, and change nothing')
    .action((file: string, options: ImportOptions) => importFrom(file, options, context))
}

async function importFrom(file: string, options: ImportOptions, context: CommandContext): Promise<void> {
  const { unknownModels = false, dryRun = false } = options
  const counts = await withLocalFile(file, context.streams, async (local) => {
    const format = options.format ?? (await local.format(' Pass --format.'))
    const wanted = { format, ...(unknownModels ? { unknown_models: true } : {}) }
    const asked = { kind: 'devices.import', files: [local], options: wanted, dryRun }
    const { importFileInto } = await import('../jobs/import-file.ts')
    return withService(context, options, dryRun ? 'change' : 'begin', (service) =>
      importFileInto(service, asked, context.streams),
    )
  })
  const imported = { devices: Number(counts['devices']), added: Number(counts['added']) }
  const there = imported.devices - imported.added
  const told = `${counted(imported.added, 'device')} ${dryRun ? 'would be ' : ''}added${there > 0 ? `; ${there} already in the register` : ''}.`
  print(context, options, dryRun ? { dry_run: true, ...imported } : imported, told)
}
