/** `ratafia devices list`: the register, searched and sorted, page by page. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import { type Command, Option } from 'commander'
import {
  FLEET_ORDERS,
  type FleetDevice,
  type FleetOrder,
  type FleetPosition,
} from '../../devices/fleet/fleet-filter.ts'
import type { Installation } from '../../installation.ts'
import { type CommandContext, UsageError } from '../context.ts'
import { LongList } from '../long-list.ts'
import { readCount } from '../option-values.ts'
import { type ListOption, note, type Row, withList } from '../output.ts'
import type { ListPart } from '../service/service.ts'
import { goes, isDirect, requireDirect, type WayOptions, withService } from '../service/ways.ts'
import { type FleetOptions, fleetFilterOf, SEARCHED, withFleetOptions } from './fleet-options.ts'
import {
  ACTIVITY_COLUMNS,
  type ActivityOptions,
  asksForActivity,
  LIST_ORDERS,
  listRow,
  queryOf,
  withActivityOptions,
} from './list-by-query.ts'
import { DEVICE_LIST_COLUMNS, WAITING_LIST_COLUMNS } from './list-columns.ts'

const SESSION_COLUMNS = ['last_session_at', 'last_address'] as const
const CLONE_COLUMNS = ['clone_kinds', 'clone_times', 'clone_last_seen_at'] as const
const COLUMNS = [
  ...['id', 'brand_id', 'model', 'serial', 'device_key_id', 'status', 'revision', 'origin', 'original'],
  ...['registered_at', 'decided_at', 'decided_by', 'reason', 'quarantined_at', 'removed_at', 'address'],
  ...SESSION_COLUMNS,
  ...CLONE_COLUMNS,
  ...ACTIVITY_COLUMNS.filter((name) => name !== 'last_address'),
]

interface ListOptions extends ListOption, FleetOptions, ActivityOptions, WayOptions {
  readonly sort: FleetOrder | (typeof LIST_ORDERS)[number]
  readonly reverse?: boolean
  readonly lastSession?: boolean
  readonly limit: string
  readonly all?: boolean
  readonly before?: string
}

export function listCommand(devices: Command, context: CommandContext): void {
  goes(withActivityOptions(withFleetOptions(withList(devices.command('list'), COLUMNS))), 'both', ['devices'])
    .description('list devices: the newest, those that fit, or those after one of them')
    .addOption(
      new Option(
        '--sort <order>',
        'newest in the register first, newest registration first, by serial number, or last session, last seen, last evidence of a clone first',
      )
        .choices([...FLEET_ORDERS, ...LIST_ORDERS])
        .default('entered'),
    )
    .option('--reverse', 'in the opposite order')
    .option('--last-session', 'show when each last opened a session, and from which address')
    .option('--limit <number>', 'how many to show', '100')
    .addOption(new Option('--all', 'show all that fit').conflicts('limit'))
    .option(
      '--before <id>',
      'the next page: those that come after this device in the list (sorted by session: ID@TIME)',
    )
    .action((options: ListOptions) => list(options, context))
}

/** More than a register has. */
const MOST = 99_999_999

async function list(options: ListOptions, context: CommandContext): Promise<void> {
  const limit = options.all ? MOST : readCount('--limit', options.limit, MOST)
  const searched = SEARCHED_IN_LISTS.filter(([, isGiven]) => isGiven(options)).map(([option]) => option)
  for (const option of searched) requireDirect(options, context, option)
  if (asksForActivity(options) && searched[0] !== undefined) {
    throw new UsageError(
      `${searched[0]} cannot be combined with --seen-after, --seen-before, --never-seen, --from, or their orders.`,
    )
  }
  if (isDirect(options, context) && !asksForActivity(options)) {
    return context.readInstallation((installation) => search(options, limit, installation, context))
  }
  await withService(context, options, 'read', (service) => {
    const now = service.clock()
    const query = queryOf(options, fleetFilterOf(options, now), now)
    return printParts(service.pages(api.devices, 'devices', { query, most: limit }), options, context)
  })
}

const SEARCHED_IN_LISTS: readonly (readonly [string, (options: ListOptions) => boolean])[] = [
  ...SEARCHED,
  ['--last-session', ({ lastSession }) => lastSession === true],
  ['--sort session', ({ sort }) => sort === 'session'],
  ['--before', ({ before }) => before !== undefined],
]

async function printParts(
  parts: AsyncIterable<ListPart>,
  options: ListOptions,
  context: CommandContext,
): Promise<void> {
  const withActivity =
    asksForActivity(options) || ACTIVITY_COLUMNS.some((name) => options.columns?.includes(name))
  const printed = new LongList(context.streams, options, {
    columns: [
      ...(options.status === 'pending' ? WAITING_LIST_COLUMNS : DEVICE_LIST_COLUMNS),
      ...(withActivity ? ACTIVITY_COLUMNS : []),
    ],
    empty: 'There is no such device.',
  })
  let others = false
  for await (const { records, more } of parts) {
    await printed.add(records.map((record) => listRow(record, withActivity)))
    others = more
  }
  printed.end()
  if (others && !options.json)
    note(context.streams, 'There are more: --limit shows more, filters show fewer.')
}

async function search(
  options: ListOptions,
  limit: number,
  installation: Installation,
  context: CommandContext,
): Promise<void> {
  const { searchFleet } = await import('../../devices/fleet/search-fleet.ts')
  const { before } = options
  const order = FLEET_ORDERS.find((one) => one === options.sort) ?? 'entered'
  const after = before === undefined ? undefined : await positionIn(before, order)
  const wants = (columns: readonly string[]) => columns.some((name) => options.columns?.includes(name))
  const withLastSession =
    options.lastSession === true ||
    wants(SESSION_COLUMNS) ||
    order === 'session' ||
    options.sessionAfter !== undefined ||
    options.sessionBefore !== undefined
  const withEvidence = options.clones !== undefined || wants(CLONE_COLUMNS)
  const printed = new LongList(context.streams, options, {
    columns: [
      ...(options.status === 'pending' ? WAITING_LIST_COLUMNS : DEVICE_LIST_COLUMNS),
      ...(withLastSession ? SESSION_COLUMNS : []),
      ...(withEvidence ? CLONE_COLUMNS : []),
    ],
    empty: before === undefined ? 'There is no such device.' : 'There are no more.',
  })
  const next = await searchFleet(
    {
      filter: fleetFilterOf(options, installation.clock()),
      ...{ order, reverse: options.reverse === true, after, limit, withLastSession, withEvidence },
    },
    installation,
    async (devices) => printed.add(await rowsOf(devices, { withLastSession, withEvidence }, installation)),
  )
  printed.end()
  if (next && !options.json) {
    note(context.streams, `There are more: --before ${positionText(next)} shows the next ${limit}.`)
  }
}

async function rowsOf(
  devices: readonly FleetDevice[],
  shown: { readonly withLastSession: boolean; readonly withEvidence: boolean },
  installation: Installation,
): Promise<readonly Row[]> {
  const { listRows } = await import('./device-output.ts')
  const rows = await listRows(
    devices.map(({ device }) => device),
    installation,
  )
  return devices.map(({ lastSession, evidence }, at) => ({
    ...rows[at],
    ...(shown.withLastSession && {
      last_session_at: lastSession?.at?.toISOString() ?? null,
      last_address: lastSession?.address ?? null,
    }),
    ...(shown.withEvidence && {
      clone_kinds: evidence?.kinds.join(' ') ?? null,
      clone_times: evidence?.times ?? 0,
      clone_last_seen_at: evidence?.lastSeenAt.toISOString() ?? null,
    }),
  }))
}

const positionText = ({ id, lastSessionAt }: FleetPosition): string =>
  lastSessionAt === undefined ? id : `${id}@${lastSessionAt?.toISOString() ?? NEVER}`

const NEVER = 'never'

/** Throws {@link UsageError}. */
async function positionIn(text: string, order: FleetOrder): Promise<FleetPosition> {
  const { isDeviceId } = await import('@ratafia/api')
  const [id = '', time, ...more] = text.split('@')
  if (!isDeviceId(id) || more.length > 0) throw new UsageError(`--before ${text} is not the id of a device.`)
  if (order !== 'session') {
    if (time === undefined) return { id }
    throw new UsageError(`--before ${text} has a time, which only --sort session needs.`)
  }
  const at = time === NEVER ? null : new Date(time ?? '')
  if (time === undefined || (at && !/^\d{4}-.*Z$/.test(time)) || (at && Number.isNaN(at.getTime()))) {
    throw new UsageError(
      `--before ${text}: sorted by session, the next page begins after ID@TIME, where TIME is its last_session_at or "${NEVER}".`,
    )
  }
  return { id, lastSessionAt: at }
}
