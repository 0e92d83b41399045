/** `ratafia devices list`: searches and sorts the register. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import { type Command, Option } from 'commander'
import { LIST_SORTS, type ListSort } from '../../devices/fleet/list-filter.ts'
import { LISTED_COLUMNS } from '../../devices/transfer/device-columns.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { LongList } from '../long-list.ts'
import { readCount } from '../option-values.ts'
import { note, withList } from '../output.ts'
import { asRow } from '../service/as-row.ts'
import { goes, withService } from '../service/ways.ts'
import { filtersIn, nothingFound, withDeviceFilters } from './filter-options.ts'

interface ListOptions extends CommonOptions {
  readonly sort: ListSort
  readonly limit: string
  readonly all?: boolean
}

const SHOWN = ['id', 'brand_id', 'model', 'serial', 'status', 'registered_at', 'quarantined_at']
/** The columns for pending devices, which help to decide about them. */
const SHOWN_WAITING = ['id', 'brand_id', 'model', 'serial', 'last_address', 'registered_at']
/** More columns, for filters and orders that concern them. */
const SEEN = ['last_seen_at', 'last_address']
const EVIDENCE = ['evidence_at']

export function listCommand(devices: Command, context: CommandContext): void {
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
}

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
