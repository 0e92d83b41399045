/** `ratafia devices`: the register of devices. */
import { createReadStream } from 'node:fs'
import { type Command, Option } from 'commander'
import { type CommandContext, UsageError } from '../context.ts'
import { formatOf, sizeOf } from '../files.ts'
import { counted, type JsonOption, print, withJson } from '../output.ts'
import { withProgress } from '../progress.ts'
import { goes, type WayOptions } from '../service/ways.ts'
import { writeOut } from '../write-whole.ts'
import { countsCommand } from './counts.ts'
import { decisionCommands } from './decisions.ts'
import { type FleetOptions, fleetFilterOf, withFleetOptions } from './fleet-options.ts'
import { listCommand } from './list.ts'
import { decideOne, describeRecord, OPERATIONS } from './one-device.ts'
import { removeCommand } from './remove.ts'
import { showCommand } from './show.ts'

type Format = 'csv' | 'json'

interface TransferOptions extends JsonOption, FleetOptions {
  readonly format?: Format
}

interface ImportOptions extends TransferOptions {
  readonly unknownModels?: boolean
  readonly dryRun?: boolean
}

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

  withFleetOptions(withFormat(withJson(devices.command('export [file]'))))
    .description('write the register to a file, or to standard output; `devices import` reads it')
    .action((file: string | undefined, options: TransferOptions) => exportTo(file, options, context))

  withFormat(withJson(devices.command('import <file>')))
    .description('add the devices in a file: all of them, or none if one is refused')
    .option('--unknown-models', 'take devices of models that are not here, too')
    .option('--dry-run', 'check every row against the register, say what it would add, and change nothing')
    .action(async (file: string, options: ImportOptions) => {
      const { importDevices } = await import('../../devices/transfer/import-devices.ts')
      const format = options.format ?? formatOf(file, ' Give --format.')
      const size = await sizeOf(file)
      const { unknownModels = false, dryRun = false } = options
      const within = dryRun ? context.readInstallation : context.beginInstallation
      const imported = await within((installation) =>
        withProgress(context.streams, ['Importing', 'KiB'], (onProgress) => {
          // A count of rows is not known before the end: the bar shows how much of the file was read.
          let read = 0
          const open = () => {
            const stream = createReadStream(file)
            read = 0
            stream.on('data', (chunk) => {
              read += chunk.length
            })
            return stream
          }
          return importDevices(
            {
              source: { format, open },
              unknownModels,
              dryRun,
              onProgress: () => onProgress(kibibytes(read), kibibytes(size)),
            },
            installation,
          )
        }),
      )
      const there = imported.devices - imported.added
      const told = `${counted(imported.added, 'device')} ${dryRun ? 'would be ' : ''}added${there > 0 ? `, ${there} ${there === 1 ? 'was' : 'were'} already there` : ''}.`
      print(context, options, dryRun ? { dry_run: true, ...imported } : imported, told)
    })
}

const withFormat = (command: Command): Command =>
  command.addOption(
    new Option('--format <format>', 'format of the file (default: by its extension)').choices([
      'csv',
      'json',
    ]),
  )

async function exportTo(
  file: string | undefined,
  options: TransferOptions,
  context: CommandContext,
): Promise<void> {
  const { DEVICE_COLUMNS } = await import('../../devices/transfer/device-record.ts')
  const { exportDevices } = await import('../../devices/transfer/export-devices.ts')
  const { exportText } = await import('../../files/export-rows.ts')
  const { streams } = context
  if (file === undefined && options.json) {
    throw new UsageError('Name a file: --json answers on standard output, where the devices would go too.')
  }
  const format = options.format ?? (file === undefined ? 'csv' : formatOf(file, ' Give --format.'))
  let exported = 0
  await context.readInstallation((installation) => {
    const filter = fleetFilterOf(options, installation.clock())
    return withProgress(streams, ['Exporting', 'devices'], async (onProgress) => {
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
  })
  if (file !== undefined)
    print(context, options, { exported, file }, `${counted(exported, 'device')} exported to ${file}.`)
}

const kibibytes = (bytes: number): number => Math.ceil(bytes / 1024)
