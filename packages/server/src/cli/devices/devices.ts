/** `ratafia devices`: the register of devices. */
import { createReadStream } from 'node:fs'
import { type Command, Option } from 'commander'
import { parseModelName } from '../../brands/models/model-policy.ts'
import { DEVICE_STATUSES, type DeviceStatus, describeDevice } from '../../devices/device.ts'
import { type CommandContext, UsageError } from '../context.ts'
import { formatOf, sizeOf } from '../files.ts'
import { readCount, requireText } from '../option-values.ts'
import { counted, type JsonOption, note, print, printList, withJson, withList } from '../output.ts'
import { withProgress } from '../progress.ts'
import { writeOut } from '../write-whole.ts'
import { decisionCommands } from './decisions.ts'

interface FilterOptions {
  readonly brand?: string
  readonly model?: string
  readonly serial?: string
  readonly key?: string
  readonly status?: DeviceStatus
  readonly quarantined?: boolean
}

interface ListOptions extends JsonOption, FilterOptions {
  readonly limit: string
  readonly before?: string
}

type Format = 'csv' | 'json'

interface TransferOptions extends JsonOption, FilterOptions {
  readonly format?: Format
}

const DEVICE = 'DEVICE: its id, BRAND/MODEL/SERIAL, or the id of its device key'

export function deviceCommands(parent: Command, context: CommandContext): void {
  const devices = parent
    .command('devices')
    .description('the register of devices: which devices have which serials')

  withFilter(withList(devices.command('list')))
    .description('list the newest devices, or those before one of them')
    .option('--limit <number>', 'how many to show', '100')
    .option('--before <id>', 'the next page: those registered before this device')
    .action((options: ListOptions) => list(options, context))

  withJson(devices.command('show <device>'))
    .description(`show all that the register knows about a device (${DEVICE})`)
    .option('--limit <number>', 'how many of its newest registrations and sessions to show', '20')
    .option('--assertions', 'print its serial assertions too')
    .action(async (name: string, options: JsonOption & { limit: string; assertions?: boolean }) => {
      const { showDevice } = await import('../../devices/show-device.ts')
      const { detailsDocument, detailsText } = await import('./device-output.ts')
      const limit = readCount('--limit', options.limit)
      const all = await context.readInstallation((installation) => showDevice({ name, limit }, installation))
      print(context, options, detailsDocument(all), detailsText(all, options.assertions === true))
    })

  decisionCommands(devices, context)

  withJson(devices.command('release <device>'))
    .description('release a device from quarantine')
    .action(async (name: string, options: JsonOption) => {
      const { releaseDevice } = await import('../../devices/release.ts')
      const { deviceRow } = await import('./device-output.ts')
      const device = await context.withInstallation((installation) => releaseDevice(name, installation))
      print(context, options, deviceRow(device), `${describeDevice(device)} may have sessions again.`)
    })

  withFilter(withFormat(withJson(devices.command('export [file]'))))
    .description('write the register to a file, or to standard output; `devices import` reads it')
    .action((file: string | undefined, options: TransferOptions) => exportTo(file, options, context))

  withFormat(withJson(devices.command('import <file>')))
    .description('add the devices in a file: all of them, or none if one is refused')
    .option('--unknown-models', 'take devices of models that are not here, too')
    .action(async (file: string, options: TransferOptions & { unknownModels?: boolean }) => {
      const { importDevices } = await import('../../devices/transfer/import-devices.ts')
      const format = options.format ?? formatOf(file, ' Give --format.')
      const size = await sizeOf(file)
      const imported = await context.beginInstallation((installation) =>
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
              unknownModels: options.unknownModels === true,
              onProgress: () => onProgress(kibibytes(read), kibibytes(size)),
            },
            installation,
          )
        }),
      )
      const there = imported.devices - imported.added
      const told = `${counted(imported.added, 'device')} added${there > 0 ? `, ${there} were already there` : ''}.`
      print(context, options, imported, told)
    })
}

function withFilter(command: Command): Command {
  return command
    .option('--brand <account-id>', 'only those of one brand')
    .option('--model <brand/model>', 'only those of one model')
    .option('--serial <serial>', 'only those with this serial number')
    .option('--key <id>', 'only those with this device key')
    .addOption(new Option('--status <status>', 'only those with this status').choices([...DEVICE_STATUSES]))
    .option('--quarantined', 'only those in quarantine')
}

const withFormat = (command: Command): Command =>
  command.addOption(
    new Option('--format <format>', 'format of the file (default: by its extension)').choices([
      'csv',
      'json',
    ]),
  )

/** Throws {@link UsageError} for what no device has. */
function filterOf({ brand, model, serial, key, status, quarantined }: FilterOptions) {
  const name = model === undefined ? undefined : parseModelName(model)
  if (name && brand !== undefined && brand !== name.brandId) {
    throw new UsageError(`--model ${model} is not a model of --brand ${brand}.`)
  }
  requireText([brand, model, serial, key])
  return {
    brandId: name?.brandId ?? brand,
    model: name?.model,
    serial,
    deviceKeyId: key,
    status,
    quarantined,
  }
}

async function list(options: ListOptions, context: CommandContext): Promise<void> {
  const { isDeviceId } = await import('@ratafia/api')
  const { listDevices } = await import('../../devices/list-devices.ts')
  const { DEVICE_LIST_COLUMNS, listRows, WAITING_LIST_COLUMNS } = await import('./device-output.ts')
  const { before } = options
  if (before !== undefined && !isDeviceId(before))
    throw new UsageError(`--before ${before} is not the id of a device.`)
  const filter = { ...filterOf(options), before, limit: readCount('--limit', options.limit) }
  const { rows, next } = await context.readInstallation(async (installation) => {
    const page = await listDevices(filter, installation)
    return { rows: await listRows(page.devices, installation), next: page.next }
  })
  printList(context, options, rows, {
    columns: options.status === 'pending' ? WAITING_LIST_COLUMNS : DEVICE_LIST_COLUMNS,
    empty: before === undefined ? 'There is no such device.' : 'There are no more.',
  })
  if (next !== undefined && !options.json) {
    note(context.streams, `There are more: --before ${next} shows the next ${filter.limit}.`)
  }
}

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
  const filter = filterOf(options)
  let exported = 0
  await context.readInstallation((installation) =>
    withProgress(streams, ['Exporting', 'devices'], async (onProgress) => {
      const counting = (done: number, total: number) => {
        exported = done
        onProgress(done, total)
      }
      const pages = exportDevices(
        { filter, ...(file === undefined ? {} : { onProgress: counting }) },
        installation,
      )
      await writeOut(exportText(pages, { format, columns: DEVICE_COLUMNS }), file, streams)
    }),
  )
  if (file !== undefined)
    print(context, options, { exported, file }, `${counted(exported, 'device')} exported to ${file}.`)
}

const kibibytes = (bytes: number): number => Math.ceil(bytes / 1024)
