/** `ratafia devices list`: the register, searched and sorted, page by page. */
import { type Command, Option } from 'commander'
import {
  FLEET_ORDERS,
  type FleetDevice,
  type FleetOrder,
  type FleetPosition,
} from '../../devices/fleet/fleet-filter.ts'
import { type CommandContext, UsageError } from '../context.ts'
import type { Installation } from '../installation.ts'
import { LongList } from '../long-list.ts'
import { readCount } from '../option-values.ts'
import { type ListOption, note, type Row, withList } from '../output.ts'
import { type FleetOptions, fleetFilterOf, withFleetOptions } from './fleet-options.ts'

const SESSION_COLUMNS = ['last_session_at', 'last_address'] as const
const CLONE_COLUMNS = ['clone_kinds', 'clone_times', 'clone_last_seen_at'] as const
const COLUMNS = [
  ...['id', 'brand_id', 'model', 'serial', 'device_key_id', 'status', 'revision', 'origin', 'original'],
  ...['registered_at', 'decided_at', 'decided_by', 'reason', 'quarantined_at', 'removed_at', 'address'],
  ...SESSION_COLUMNS,
  ...CLONE_COLUMNS,
]

interface ListOptions extends ListOption, FleetOptions {
  readonly sort: FleetOrder
  readonly reverse?: boolean
  readonly lastSession?: boolean
  readonly limit: string
  readonly before?: string
}

export function listCommand(devices: Command, context: CommandContext): void {
  withFleetOptions(withList(devices.command('list'), COLUMNS))
    .description('list devices: the newest, those that fit, or those after one of them')
    .addOption(
      new Option(
        '--sort <order>',
        'newest in the register first, newest registration first, by serial number, or last session first',
      )
        .choices([...FLEET_ORDERS])
        .default('entered'),
    )
    .option('--reverse', 'in the opposite order')
    .option('--last-session', 'show when each last opened a session, and from which address')
    .option('--limit <number>', 'how many to show', '100')
    .option(
      '--before <id>',
      'the next page: those that come after this device in the list (sorted by session: ID@TIME)',
    )
    .action((options: ListOptions) => list(options, context))
}

async function list(options: ListOptions, context: CommandContext): Promise<void> {
  const { searchFleet } = await import('../../devices/fleet/search-fleet.ts')
  const { DEVICE_LIST_COLUMNS, WAITING_LIST_COLUMNS } = await import('./device-output.ts')
  const { sort: order, before } = options
  const after = before === undefined ? undefined : await positionIn(before, order)
  const wants = (columns: readonly string[]) => columns.some((name) => options.columns?.includes(name))
  const withLastSession =
    options.lastSession === true ||
    wants(SESSION_COLUMNS) ||
    order === 'session' ||
    options.sessionAfter !== undefined ||
    options.sessionBefore !== undefined
  const withEvidence = options.clones !== undefined || wants(CLONE_COLUMNS)
  const limit = readCount('--limit', options.limit, 99_999_999)
  const printed = new LongList(context.streams, options, {
    columns: [
      ...(options.status === 'pending' ? WAITING_LIST_COLUMNS : DEVICE_LIST_COLUMNS),
      ...(withLastSession ? SESSION_COLUMNS : []),
      ...(withEvidence ? CLONE_COLUMNS : []),
    ],
    empty: before === undefined ? 'There is no such device.' : 'There are no more.',
  })
  const next = await context.readInstallation((installation) =>
    searchFleet(
      {
        filter: fleetFilterOf(options, installation.clock()),
        ...{ order, reverse: options.reverse === true, after, limit, withLastSession, withEvidence },
      },
      installation,
      async (devices) => printed.add(await rowsOf(devices, { withLastSession, withEvidence }, installation)),
    ),
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
