/** How many devices there are, by status, each with the address of their list. */
import type { DeviceCountsSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { addressOf, type Entry } from '../list.ts'
import { instant } from '../time.ts'

export type DeviceCounts = Static<typeof DeviceCountsSchema>
type Counts = Pick<DeviceCounts, 'counts'>

const text = words.brands

/** Of those that `isMeant`; `where`: what the address of the list says beside the status. */
export function devicesByStatus(
  { counts }: Counts,
  isMeant: (count: DeviceCounts['counts'][number]) => boolean,
  where: Entry,
): Html[] {
  const devices = new Map<string, number>()
  for (const one of counts.filter(isMeant)) {
    devices.set(one.status, (devices.get(one.status) ?? 0) + one.devices)
  }
  return [...devices]
    .filter(([, count]) => count > 0)
    .map(
      ([status, count]) =>
        html`<a class="chip" href="${addressOf('/console/devices', [where, ['status', status]])}">${text.withStatus(count, text.statuses[status] ?? status)}</a> `,
    )
}

/** When they were counted; undefined before the first time. */
export const countedAt = ({ counted_at }: Pick<DeviceCounts, 'counted_at'>): Html | undefined =>
  counted_at === null ? undefined : html`<p class="quiet">${text.countedAt} ${instant(counted_at)}</p>`
