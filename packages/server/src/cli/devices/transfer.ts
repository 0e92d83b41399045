/** `ratafia devices export` and `import`: the register in a file. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import { type Command, Option } from 'commander'
import { type CommandContext, type CommonOptions, UsageError } from '../context.ts'
import { withLocalFile } from '../files/local-file.ts'
import { printWritten, writePages } from '../files/write-whole.ts'
import { formatOf } from '../files.ts'
import { IMPORT_OPERATIONS } from '../jobs/follow-job.ts'
import { counted, print, withJson } from '../output.ts'
import { exportedRows } from '../service/exported-rows.ts'
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
    .action((file: string | undefined, options: ExportOptions) => exportTo(file, options, context))
}

async function exportTo(file: string | undefined, options: ExportOptions, context: CommandContext) {
  if (file === undefined && options.json) {
    throw new UsageError('Pass a file: --json prints to standard output, where the devices would also go.')
  }
  const format = options.format ?? (file === undefined ? 'csv' : formatOf(file, ' Pass --format.'))
  const { DEVICE_COLUMNS, LISTED_COLUMNS } = await import('../../devices/transfer/device-columns.ts')
  const { exportText } = await import('../../files/export-rows.ts')
  const columns: readonly string[] = options.listed ? LISTED_COLUMNS : DEVICE_COLUMNS
  const exported = await withService(context, options, 'read', (service) => {
    // Sorted by registration time, because an import of the file adds devices in the order of registration.
    const order = { sort: 'registered', ...(options.listed ? {} : { whole: true }) }
    const query = { ...filtersIn(options, service.clock()), ...order }
    const pages = exportedRows(service, api.exportDevices, { query, columns, what: 'a device' })
    const { streams } = context
    return writePages(pages, (rows) => exportText(rows, { format, columns }), { file, streams })
  })
  if (file === undefined) return
  const told = `${counted(exported, 'device')} exported to ${file}.`
  await printWritten(context, options, { exported, file }, told)
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
  const counts = await withLocalFile(file, async (local) => {
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
