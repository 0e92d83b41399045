/** `ratafia devices export`: the register as a file, from the database, or what a service exports of it. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { systemClock } from '../../../clock.ts'
import type { Installation } from '../../../installation.ts'
import { type CommandContext, UsageError } from '../../context.ts'
import { printWritten, writeOut, writePages } from '../../files/write-whole.ts'
import { formatOf } from '../../files.ts'
import { counted, type JsonOption, note, withJson } from '../../output.ts'
import { withProgress } from '../../progress.ts'
import { exportedRows, type RowOf, rowOf } from '../../service/exported-rows.ts'
import { eitherWay, goes, requireDirect, type WayOptions } from '../../service/ways.ts'
import { type FleetOptions, fleetFilterOf, SEARCHED, withFleetOptions } from '../fleet-options.ts'
import { partsOnDatabase, queryOf } from '../list-by-query.ts'
import { type Format, type FormatOption, withFormat } from './format.ts'

interface ExportOptions extends JsonOption, FleetOptions, FormatOption, WayOptions {
  readonly listed?: boolean
}

/** So that nobody takes it for the whole register. `--listed` says that they know. */
const WITHOUT_ASSERTIONS =
  'A service exports what lists have of each device, without its assertions. `devices export --direct` has all, where the database is.'

interface Target {
  readonly file: string | undefined
  readonly format: Format
}

export function exportCommand(devices: Command, context: CommandContext): void {
  goes(withFleetOptions(withFormat(withJson(devices.command('export [file]')))), 'both', ['exportDevices'])
    .description('write the register to a file, or to standard output; `devices import` reads it')
    .option(
      '--listed',
      'what lists have of each device, and when it was last seen, but no assertions: what a service exports',
    )
    .action((file: string | undefined, options: ExportOptions) => exportTo(file, options, context))
}

async function exportTo(
  file: string | undefined,
  options: ExportOptions,
  context: CommandContext,
): Promise<void> {
  if (file === undefined && options.json) {
    throw new UsageError('Name a file: --json answers on standard output, where the devices would go too.')
  }
  const target = {
    file,
    format: options.format ?? (file === undefined ? 'csv' : formatOf(file, ' Give --format.')),
  }
  const searched = SEARCHED.find(([, isGiven]) => isGiven(options))?.[0]
  if (searched !== undefined) requireDirect(options, context, searched)
  const exported = await eitherWay(context, options, 'read', {
    directly: async (installation) => {
      if (!options.listed) return exportRegister(target, options, installation, context)
      if (searched !== undefined) throw new UsageError(`${searched} cannot be combined with --listed.`)
      return writeListed(listedHere(options, installation), target, context)
    },
    over: async (service) => {
      const { LISTED_COLUMNS: columns } = await import('../../../devices/transfer/device-columns.ts')
      const query = listQueryOf(options, systemClock())
      if (!options.listed) note(context.streams, WITHOUT_ASSERTIONS)
      return writeListed(
        exportedRows(service, api.exportDevices, { query, columns, what: 'a device' }),
        target,
        context,
      )
    },
  })
  if (file !== undefined) {
    await printWritten(
      context,
      options,
      { exported, file },
      `${counted(exported, 'device')} exported to ${file}.`,
    )
  }
}

/** With requests, assertions and evidence, as an import takes them. Returns how many devices there were. */
async function exportRegister(
  { file, format }: Target,
  options: ExportOptions,
  installation: Installation,
  { streams }: CommandContext,
): Promise<number> {
  const { DEVICE_COLUMNS } = await import('../../../devices/transfer/device-columns.ts')
  const { exportDevices } = await import('../../../devices/transfer/export-devices.ts')
  const { exportText } = await import('../../../files/export-rows.ts')
  const filter = fleetFilterOf(options, installation.clock())
  let exported = 0
  await withProgress(streams, ['Exporting', 'devices'], async (onProgress) => {
    const counting = (done: number, total: number) => {
      exported = done
      onProgress(done, total)
    }
    const pages = exportDevices(
      { filter, ...(file === undefined ? {} : { onProgress: counting }) },
      installation,
    )
    await writeOut(exportText(pages, { format, columns: DEVICE_COLUMNS }), file, streams)
  })
  return exported
}

type ListedRow = RowOf<string>

async function writeListed(
  pages: AsyncIterable<readonly ListedRow[]>,
  { file, format }: Target,
  { streams }: CommandContext,
): Promise<number> {
  const { LISTED_COLUMNS: columns } = await import('../../../devices/transfer/device-columns.ts')
  const { exportText } = await import('../../../files/export-rows.ts')
  return writePages(pages, (counted) => exportText(counted, { format, columns }), { file, streams })
}

/** The earliest registration first, as whole exports of the register are. */
const listQueryOf = (options: ExportOptions, now: Date) =>
  queryOf({ sort: 'registered', reverse: true }, fleetFilterOf(options, now), now)

async function* listedHere(
  options: ExportOptions,
  installation: Installation,
): AsyncGenerator<readonly ListedRow[]> {
  const { LISTED_COLUMNS } = await import('../../../devices/transfer/device-columns.ts')
  const query = listQueryOf(options, installation.clock())
  for await (const { records } of partsOnDatabase(query, Number.POSITIVE_INFINITY, installation)) {
    yield records.map((record) => {
      const row = rowOf(record, LISTED_COLUMNS)
      if (!row) throw new TypeError('a device in a list has all columns')
      return row
    })
  }
}
