/** `ratafia devices export`: the register as a file, from the database, or what a service exports of it. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import type { Installation } from '../../../installation.ts'
import { type CommandContext, UsageError } from '../../context.ts'
import { printWritten, writeOut, writePages } from '../../files/write-whole.ts'
import { formatOf } from '../../files.ts'
import { counted, type JsonOption, note, withJson } from '../../output.ts'
import { withProgress } from '../../progress.ts'
import { exportedRows } from '../../service/exported-rows.ts'
import type { Service } from '../../service/service.ts'
import { goes, isDirect, requireDirect, type WayOptions, withService } from '../../service/ways.ts'
import { type FleetOptions, fleetFilterOf, SEARCHED, withFleetOptions } from '../fleet-options.ts'
import { queryOf } from '../list-by-query.ts'
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
  if (searched !== undefined) {
    requireDirect(options, context, searched)
    if (options.listed) throw new UsageError(`${searched} cannot be combined with --listed.`)
  }
  const exported =
    isDirect(options, context) && !options.listed
      ? await context.readInstallation((installation) =>
          exportRegister(target, options, installation, context),
        )
      : await withService(context, options, 'read', (service) =>
          exportListed(target, options, service, context),
        )
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

/** What lists have of each. The earliest registration first, as whole exports of the register are. */
async function exportListed(
  { file, format }: Target,
  options: ExportOptions,
  service: Service,
  { streams }: CommandContext,
): Promise<number> {
  const { LISTED_COLUMNS: columns } = await import('../../../devices/transfer/device-columns.ts')
  const { exportText } = await import('../../../files/export-rows.ts')
  const now = service.clock()
  const query = queryOf({ sort: 'registered', reverse: true }, fleetFilterOf(options, now), now)
  if (!options.listed) note(streams, WITHOUT_ASSERTIONS)
  const pages = exportedRows(service, api.exportDevices, { query, columns, what: 'a device' })
  return writePages(pages, (counted) => exportText(counted, { format, columns }), { file, streams })
}
