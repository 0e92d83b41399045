/** `ratafia devices export`: writes the register to a file. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { type CommandContext, type CommonOptions, UsageError } from '../../context.ts'
import { printWritten, writePages } from '../../files/write-whole.ts'
import { formatOf } from '../../files.ts'
import { counted, withJson } from '../../output.ts'
import { exportedRows } from '../../service/exported-rows.ts'
import { goes, withService } from '../../service/ways.ts'
import { filtersIn, withDeviceFilters } from '../filter-options.ts'
import { type FormatOption, withFormat } from './format.ts'

interface ExportOptions extends CommonOptions, FormatOption {
  readonly listed?: boolean
}

export function exportCommand(devices: Command, context: CommandContext): void {
  goes(withDeviceFilters(withFormat(withJson(devices.command('export [file]')))), 'both', ['exportDevices'])
    .description('write the register to a file or to standard output; `devices import` reads the file')
    .option('--listed', 'export the columns of lists and when each device was last seen, without assertions')
    .action((file: string | undefined, options: ExportOptions) => exportTo(file, options, context))
}

async function exportTo(
  file: string | undefined,
  options: ExportOptions,
  context: CommandContext,
): Promise<void> {
  if (file === undefined && options.json) {
    throw new UsageError('Pass a file: --json prints to standard output, where the devices would also go.')
  }
  const format = options.format ?? (file === undefined ? 'csv' : formatOf(file, ' Pass --format.'))
  const { DEVICE_COLUMNS, LISTED_COLUMNS } = await import('../../../devices/transfer/device-columns.ts')
  const { exportText } = await import('../../../files/export-rows.ts')
  const columns: readonly string[] = options.listed ? LISTED_COLUMNS : DEVICE_COLUMNS
  const exported = await withService(context, options, 'read', (service) => {
    // Sorted by registration time, because an import of the file adds devices in the order of registration.
    const order = { sort: 'registered', ...(options.listed ? {} : { whole: true }) }
    const query = { ...filtersIn(options, service.clock()), ...order }
    const pages = exportedRows(service, api.exportDevices, { query, columns, what: 'a device' })
    return writePages(pages, (counted) => exportText(counted, { format, columns }), {
      ...{ file, streams: context.streams },
    })
  })
  if (file === undefined) return
  await printWritten(
    context,
    options,
    { exported, file },
    `${counted(exported, 'device')} exported to ${file}.`,
  )
}
