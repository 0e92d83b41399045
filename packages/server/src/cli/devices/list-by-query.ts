/** What lists of the management API are asked for. */
import type { Command } from 'commander'
import { addressRange } from '../../addresses/address-classes.ts'
import type { DeviceQuery } from '../../devices/administration/device-query.ts'
import type { FleetFilter } from '../../devices/fleet/fleet-filter.ts'
import type { JsonObject } from '../../foreign-json.ts'
import { UsageError } from '../context.ts'
import { readInstant } from '../option-values.ts'
import type { Row } from '../output.ts'
import { asRow } from '../service/as-row.ts'

export const LIST_ORDERS = ['seen', 'evidence'] as const
export const ACTIVITY_COLUMNS = ['last_seen_at', 'last_address', 'evidence_at'] as const

/** What only these lists can do. */
export interface ActivityOptions {
  readonly seenAfter?: string
  readonly seenBefore?: string
  readonly neverSeen?: boolean
  readonly from?: string
}

export const withActivityOptions = (command: Command): Command =>
  command
    .option('--seen-after <time>', 'only those last seen since this time, or since 7d ago')
    .option('--seen-before <time>', 'only those last seen before')
    .option('--never-seen', 'only those that neither registered here nor opened a session')
    .option('--from <network>', 'only those last seen from an address or network, such as 203.0.113.0/24')

interface QueryOptions extends ActivityOptions {
  readonly sort: string
  readonly reverse?: boolean
}

export const asksForActivity = ({ seenAfter, seenBefore, neverSeen, from, sort }: QueryOptions): boolean =>
  [seenAfter, seenBefore, neverSeen, from].some((option) => option !== undefined) ||
  LIST_ORDERS.some((order) => order === sort)

/** The order of entry is that of registration here, but for imports. */
const SORTS: Readonly<Record<string, DeviceQuery['sort']>> = {
  entered: '-registered',
  registered: '-registered',
  serial: 'serial',
  seen: '-seen',
  evidence: '-evidence',
}
const REVERSED: Readonly<Record<string, DeviceQuery['sort']>> = {
  entered: 'registered',
  registered: 'registered',
  seen: 'seen',
}

/** `filter` is of the same options. Throws {@link UsageError} for an order that these lists do not have, and a bad network. */
export function queryOf(options: QueryOptions, filter: FleetFilter, now: Date): DeviceQuery {
  const sort = (options.reverse ? REVERSED : SORTS)[options.sort]
  if (!sort) {
    throw new UsageError(
      `--sort ${options.sort}${options.reverse ? ' --reverse' : ''} is not an order of this list.`,
    )
  }
  return { sort, ...filterOf(options, filter, now) }
}

/** The same without an order. Throws {@link UsageError} for a bad network. */
export function filterOf(
  options: ActivityOptions,
  filter: FleetFilter,
  now: Date,
): Omit<DeviceQuery, 'sort'> {
  const { from } = options
  if (from !== undefined && !addressRange(from)) {
    throw new UsageError(`--from ${from} is neither an address nor a network such as 203.0.113.0/24.`)
  }
  const { brandId, model, status } = filter
  const instant = (option: string, text: string | undefined) =>
    readInstant(option, text, { now, direction: 'ago' })?.toISOString()
  return {
    ...(brandId === undefined || model !== undefined ? {} : { brand: [brandId] }),
    ...(brandId === undefined || model === undefined ? {} : { model: [`${brandId}/${model}`] }),
    ...(status === undefined ? {} : { status: [status] }),
    ...(from === undefined ? {} : { address: [from] }),
    ...whereGiven({
      serial: filter.serial,
      serial_prefix: filter.serialPrefix,
      key: filter.deviceKeyId,
      key_prefix: filter.keyPrefix,
      quarantined: filter.quarantined,
      evidence: filter.evidence === undefined ? undefined : true,
      registered_since: filter.registeredSince?.toISOString(),
      registered_until: filter.registeredBefore?.toISOString(),
      seen_since: instant('--seen-after', options.seenAfter),
      seen_until: instant('--seen-before', options.seenBefore),
      never_seen: options.neverSeen,
    }),
  }
}

/** Without what is undefined. */
function whereGiven<T extends Readonly<Record<string, unknown>>>(
  values: T,
): { readonly [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as { readonly [Name in keyof T]?: Exclude<T[Name], undefined> }
}

/** As lists on the database have them: who waits with the address they asked from. */
export function listRow(record: JsonObject, withActivity: boolean): Row {
  const { last_seen_at, last_address, evidence_at, ...device } = record
  return asRow({
    ...device,
    ...(device['status'] === 'pending' ? { address: last_address } : {}),
    ...(withActivity ? { last_seen_at, last_address, evidence_at } : {}),
  })
}
