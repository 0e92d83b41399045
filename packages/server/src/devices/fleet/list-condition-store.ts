/** SQL conditions for the filter of a list. */
import { isDeviceId } from '@ratafia/api'
import { type RawBuilder, sql } from 'kysely'
import type { AddressRange } from '../../addresses/address-classes.ts'
import { byteOrder, contains, type Database, toInstant } from '../../database/index.ts'
import type { ListFilter } from './list-filter.ts'

type Query = Database['query']
export type Condition = RawBuilder<boolean>

/** Returns the filter's conditions on a row of `device`, under that name, except the brand. */
export function deviceConditions(filter: ListFilter, query: Query): readonly Condition[] {
  const { id, serial, deviceKeyId, serialPrefix, keyPrefix, search, quarantined } = filter
  const { models, statuses, origins, decidedBy } = filter
  return [
    ...given(id, (value) => sql`device.id = ${value}`),
    ...given(serial, (value) => sql`device.serial = ${value}`),
    ...given(deviceKeyId, (value) => sql`device.device_key_id = ${value}`),
    ...given(serialPrefix, (value) => startsWith(query, 'device.serial', value)),
    ...given(keyPrefix, (value) => startsWith(query, 'device.device_key_id', value)),
    ...given(search, (value) => isFound(query, value)),
    ...given(quarantined, (value) => sql`device.quarantined_at ${isThere(value)}`),
    ...given(models, isOfOne),
    ...given(statuses, (values) => isOne('device.status', values)),
    ...given(origins, (values) => isOne('device.origin', values)),
    ...given(decidedBy, (values) => isOne('device.decided_by', values)),
    ...registeredWithin(filter),
    ...historyConditions(filter),
  ]
}

/** Returns the conditions that read several rows of other tables for each row of `device`. */
export function historyConditions(filter: ListFilter): readonly Condition[] {
  const { sessionSince, sessionUntil, withoutSession, pastAddress, evidenceKinds } = filter
  const own = sql`device_id = device.id and bucket = device.bucket`
  // Uses the index device_session_device, and reads only its newest entry.
  const lastSession = sql`coalesce((select max(opened_at) from device_session where ${own}), device.last_session_at)`
  return [
    ...within(lastSession, sessionSince, sessionUntil),
    ...given(withoutSession, (without) => sql`${lastSession} ${isThere(!without)}`),
    // Uses the indexes device_session_device and device_registration_device.
    ...given(
      pastAddress,
      (address) => sql`(exists (select 1 from device_session where ${own} and address = ${address})
        or exists (select 1 from device_registration where ${own} and address = ${address}))`,
    ),
    // The primary key begins with the device.
    ...given(
      evidenceKinds,
      (kinds) => sql`exists (select 1 from clone_evidence where ${own} and ${isOne('kind', kinds)})`,
    ),
  ]
}

/** Returns the filter's conditions on a row of `device_activity`, under that name. */
export function activityConditions(filter: ListFilter, query: Query): readonly Condition[] {
  const { neverSeen, addresses, evidence } = filter
  const seen = seenWithin(filter)
  return [
    ...(seen.length > 0 ? [all(seen)] : []),
    ...given(neverSeen, (never) => sql`device_activity.last_seen_at ${isThere(!never)}`),
    ...given(addresses, (ranges) => isAtOne(ranges, query)),
    ...given(evidence, (has) => sql`device_activity.evidence_at ${isThere(has)}`),
  ]
}

/**
 * Returns the same conditions for a row of `device`, whose activity is looked up by its primary key. They are
 * in a scalar subquery: with a join, PostgreSQL would read the whole table, because it expects a window to
 * have many rows. A device without a row was never seen, and has no evidence.
 */
export function lookedUpActivity(filter: ListFilter, query: Query): readonly Condition[] {
  const conditions = activityConditions(filter, query)
  if (conditions.length === 0) return []
  const found = sql<boolean>`(select ${all(conditions)} from device_activity
    where device_activity.device_id = device.id and device_activity.bucket = device.bucket)`
  const { seenSince, seenUntil, neverSeen, addresses, evidence } = filter
  const withoutRow = !(seenSince || seenUntil || addresses || neverSeen === false || evidence === true)
  return [sql`coalesce(${found}, ${sql.lit(withoutRow)})`]
}

/** Joins the conditions with `and`. */
export const all = (conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? sql`1 = 1` : sql`(${sql.join(conditions, sql` and `)})`

/** Returns the conditions on registration time, which bound the window of an index in that order. */
export const registeredWithin = ({ registeredSince, registeredUntil }: ListFilter): readonly Condition[] =>
  within(sql.ref('device.registered_at'), registeredSince, registeredUntil)

/** Returns the same for the time a device was last seen. */
export const seenWithin = ({ seenSince, seenUntil }: ListFilter): readonly Condition[] =>
  within(sql.ref('device_activity.last_seen_at'), seenSince, seenUntil)

export const serialWithin = ({ serialPrefix }: ListFilter, query: Query): readonly Condition[] =>
  given(serialPrefix, (value) => startsWith(query, 'device.serial', value))

/** Returns the condition that a row of `device_activity` has one of the addresses. */
export const isAtOne = (addresses: readonly AddressRange[], query: Query): Condition => {
  const key = byteOrder(query, 'device_activity.address_key')
  const each = addresses.map(({ first, last }) => sql`${key} between ${first} and ${last}`)
  return sql`(${sql.join(each, sql` or `)})`
}

export const isOne = (column: string, values: readonly string[]): Condition =>
  sql`${sql.ref(column)} in (${sql.join(values)})`

/** Matches a model by brand and name. */
const isOfOne = (models: NonNullable<ListFilter['models']>): Condition => {
  const each = models.map(
    ({ brandId, model }) => sql`(device.brand_id = ${brandId} and device.model = ${model})`,
  )
  return sql`(${sql.join(each, sql` or `)})`
}

/** Greater than anything that follows the prefix in stored text: no assertion contains a noncharacter. */
const LAST = '\u{10ffff}'

export const startsWith = (query: Query, column: string, prefix: string): Condition =>
  sql`(${byteOrder(query, column)} >= ${prefix} and ${byteOrder(query, column)} < ${prefix + LAST})`

/** The minimum length of a string that can match the beginning of a key. */
export const KEY_BEGINNING = 8

const isFound = (query: Query, text: string): Condition =>
  sql`(${sql.join(
    [
      contains(query, 'device.serial', text),
      ...(text.length < KEY_BEGINNING ? [] : [startsWith(query, 'device.device_key_id', text)]),
      ...(isDeviceId(text) ? [sql`device.id = ${text}`] : []),
    ],
    sql` or `,
  )})`

const isThere = (there: boolean) => sql.raw(there ? 'is not null' : 'is null')

const given = <T>(value: T | undefined, condition: (value: T) => Condition): readonly Condition[] =>
  value === undefined ? [] : [condition(value)]

const within = (
  instant: RawBuilder<unknown>,
  since: Date | undefined,
  until: Date | undefined,
): readonly Condition[] => [
  ...given(since, (at) => sql`${instant} >= ${toInstant(at)}`),
  ...given(until, (at) => sql`${instant} < ${toInstant(at)}`),
]
