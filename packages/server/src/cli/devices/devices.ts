/** `ratafia devices`: the register of devices. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import { type Command, Option } from 'commander'
import { type Device, describeDevice } from '../../devices/device.ts'
import { LIST_SORTS, type ListSort } from '../../devices/fleet/list-filter.ts'
import { LISTED_COLUMNS } from '../../devices/transfer/device-columns.ts'
import { isObject, type JsonObject, objectsIn } from '../../foreign-json.ts'
import { confirmTyped, withNeededYes } from '../confirm.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { LongList } from '../long-list.ts'
import { readCount } from '../option-values.ts'
import { counted, note, print, tableOf, withJson, withList } from '../output.ts'
import { asRow, printRecord } from '../service/records.ts'
import type { Service } from '../service/service.ts'
import { goes, withService } from '../service/ways.ts'
import { decisionCommands } from './decisions.ts'
import { filtersIn, nothingFound, withDeviceFilters } from './filter-options.ts'
import { exportCommand, importCommand } from './transfer.ts'

interface ListOptions extends CommonOptions {
  readonly sort: ListSort
  readonly limit: string
  readonly all?: boolean
}

interface ShowOptions extends CommonOptions {
  readonly limit: string
  readonly assertions?: boolean
}

const DEVICE = 'DEVICE: its id, BRAND/MODEL/SERIAL, or the id of its device key'

export function deviceCommands(parent: Command, context: CommandContext): void {
  const devices = parent
    .command('devices')
    .description('search the register of devices, and approve, reject, revoke and release devices')

  goes(withDeviceFilters(withList(devices.command('list'), [...LISTED_COLUMNS])), 'both', ['devices'])
    .description('list the newest devices, or those that match all filters')
    .addOption(
      new Option(
        '--sort <order>',
        'the order: by registration, serial number, or when the device or evidence of a clone was last seen; - means newest first',
      )
        .choices(LIST_SORTS)
        .default('-registered'),
    )
    .option('--limit <number>', 'how many devices to show', '100')
    .addOption(new Option('--all', 'show all matching devices').conflicts('limit'))
    .action((options: ListOptions) => list(options, context))

  goes(withJson(devices.command('counts')), 'both', ['deviceCounts'])
    .description(
      'show how many devices there are, by brand, model and status; the service counts them once a minute',
    )
    .option('--brand <account-id>', 'only devices of one brand')
    .action(({ brand, ...options }: CommonOptions & { readonly brand?: string }) =>
      printRecord(
        context,
        options,
        'read',
        (service) => service.recordOf(api.deviceCounts, { query: { brand } }),
        countsText,
      ),
    )

  goes(withJson(devices.command('show <device>')), 'both', [
    ...['device', 'devices', 'deviceActivity'],
    ...['deviceAssertions', 'deviceRegistrations', 'deviceSessions', 'deviceEvidence'],
  ])
    .description(`show everything that is known about a device (${DEVICE})`)
    .option('--limit <number>', 'how many of the newest registrations and sessions to show', '20')
    .option('--assertions', 'also print the serial assertions')
    .action(async (name: string, { assertions = false, ...options }: ShowOptions) => {
      const { deviceDocument, deviceText } = await import('./show-device.ts')
      const limit = readCount('--limit', options.limit, 1_000)
      const find = (service: Service) => deviceDocument(service, name, limit)
      await printRecord(context, options, 'read', find, (record) => deviceText(record, assertions))
    })

  decisionCommands(devices, context)

  withNeededYes(withJson(devices.command('remove <devices...>')))
    .description(
      'remove the personal data of devices that are revoked, superseded, rejected or pending; serials stay taken',
    )
    .action((names: readonly string[], options: CommonOptions) => remove(names, options, context))

  exportCommand(devices, context)
  importCommand(devices, context)
}

const SHOWN = ['id', 'brand_id', 'model', 'serial', 'status', 'registered_at', 'quarantined_at']
/** The columns for pending devices, which help to decide about them. */
const SHOWN_WAITING = ['id', 'brand_id', 'model', 'serial', 'last_address', 'registered_at']
/** More columns, for filters and orders that concern them. */
const SEEN = ['last_seen_at', 'last_address']
const EVIDENCE = ['evidence_at']
/** More devices than any register has. */
const MOST = 99_999_999

async function list(options: ListOptions, context: CommandContext): Promise<void> {
  const most = options.all ? MOST : readCount('--limit', options.limit, MOST)
  await withService(context, options, 'read', async (service) => {
    const filters = filtersIn(options, service.clock())
    const printed = new LongList(context.streams, options, {
      columns: columnsFor(Object.keys(filters), options),
      empty: nothingFound(filters, options.sort),
    })
    let others = false
    const query = { ...filters, sort: options.sort }
    for await (const { records, more } of service.pages(api.devices, 'devices', { query, most })) {
      await printed.add(records.map(asRow))
      others = more
    }
    printed.end()
    if (others && !options.json) {
      note(context.streams, 'There are more devices. Raise --limit, pass --all, or use filters.')
    }
  })
}

function columnsFor(filters: readonly string[], { sort, ...options }: ListOptions): readonly string[] {
  const waits = 'status' in options && String(options.status) === 'pending'
  const asks = (...about: readonly string[]) =>
    [sort, ...filters].some((name) => about.some((word) => name.includes(word)))
  const shown = waits ? SHOWN_WAITING : SHOWN
  const more = [...(asks('seen', 'address', 'session') ? SEEN : []), ...(asks('evidence') ? EVIDENCE : [])]
  return [...shown, ...more.filter((column) => !shown.includes(column))]
}

function countsText(record: JsonObject): string {
  const { counts, counted_at: at, devices, waiting, quarantined } = record
  const rows = objectsIn(counts).map(asRow)
  return [
    ...(rows.length === 0 ? [] : [tableOf(rows, ['brand_id', 'model', 'status', 'devices']), '']),
    at === null ? 'The service has not counted the devices yet.' : `${devices} in all, counted at ${at}.`,
    `Pending at the moment: ${numberIn(waiting)}. In quarantine: ${numberIn(quarantined)}.`,
  ].join('\n')
}

function numberIn(count: unknown): string {
  if (!isObject(count)) return 'an unknown number'
  return count['more'] === true ? `more than ${count['devices']}` : String(count['devices'])
}

/** Removes personal data, for data protection. */
async function remove(names: readonly string[], options: CommonOptions, context: CommandContext) {
  const { findRemovable, removeDevice } = await import('../../devices/removal/remove-device.ts')
  const { fieldsOf } = await import('../../devices/transfer/device-record.ts')
  const removed = await context.withInstallation(async (installation) => {
    const { authority } = installation
    // Finds all devices before it removes the first, so that a wrong name changes nothing.
    const found: Device[] = []
    for (const name of names) found.push(await findRemovable({ name, authority }, installation))
    const ids = [...new Set(found.map(({ id }) => id))]
    await confirmTyped(context, options, () => ({
      told: `${found.map(describeDevice).join('\n')}\nThis removes ${counted(ids.length, 'device')} with addresses, sessions, assertions and evidence. It cannot be undone.`,
      type: ids.length === 1 ? (found[0]?.serial ?? ids[0] ?? '') : ids.length,
    }))
    const results = []
    for (const id of ids) results.push(await removeDevice({ name: id, authority }, installation))
    return results
  })
  const rows = removed.map(({ device, left }) => ({ ...fieldsOf(device), left }))
  const told = removed.map(({ device, left }) => `${describeDevice(device)} ${REMOVED[left]}`)
  print(context, options, rows, told.join('\n'))
}

const REMOVED = {
  row: 'was removed. Its serial number and its key stay taken.',
  nothing: 'was removed with its row. It can register again.',
  before: 'was already removed.',
} as const
