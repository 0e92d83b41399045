/**
 * What a row costs that a list looks at, so that a page takes about as long whatever is asked for. One is a row in the
 * order of registration, where devices that came together stand together.
 */
import type { Database } from '../../database/index.ts'
import { activityConditions, deviceConditions } from './list-conditions.ts'
import type { ListFilter, ListSort } from './list-filter.ts'
import { orderOf } from './list-order.ts'
import type { FewDevices } from './list-ways.ts'

/** It stands anywhere on the disk. */
const SCATTERED = 2
/** So does the row of the other table that belongs to it. */
const LOOKED_UP = 2

type Query = Database['query']

interface Listing {
  readonly filter: ListFilter
  readonly sort: ListSort
}

/** Of a window of the order's own index. */
export function costInOrder({ filter, sort }: Listing, query: Query): number {
  const { table, column } = orderOf(sort)
  const others = (table === 'device' ? activityConditions : deviceConditions)(filter, query)
  return (column === 'registered_at' ? 1 : SCATTERED) * (others.length > 0 ? LOOKED_UP : 1)
}

/** Of the devices that another index finds. */
export function costOfFew({ table }: FewDevices, { filter, sort }: Listing, query: Query): number {
  const others = (table === 'device' ? activityConditions : deviceConditions)(filter, query)
  return SCATTERED * (others.length > 0 || orderOf(sort).table !== table ? LOOKED_UP : 1)
}
