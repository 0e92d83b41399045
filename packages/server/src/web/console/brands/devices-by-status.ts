/** The numbers of devices by status, each with a link to their list. */
import type { DeviceCountsSchema } from '@ratafia/api/schemas'
import type { Static } from 'typebox'
import { type Html, html } from '../../html.ts'
import { words } from '../../words/en.ts'
import { addressOf, type Entry } from '../list.ts'
import { instant } from '../time.ts'

export type DeviceCounts = Static<typeof DeviceCountsSchema>
type Counts = Pick<DeviceCounts, 'counts'>

const text = words.brands

type IsMeant = (count: DeviceCounts['counts'][number]) => boolean

/** Shows the number for each status that has devices. `where`: another filter in the URL of their list. */
export const devicesByStatus = (counts: Counts, isMeant: IsMeant, where: Entry): Html[] =>
  withDevices(counts, isMeant).map(
    ([status, devices]) =>
      html`<a class="chip" href="${addressOf('/console/devices', [where, ['status', status]])}">${inWords(status, devices)}</a> `,
  )

/** The statuses that a row names; the others are added up. */
const IN_ROW: readonly string[] = ['active', 'pending']

/** Shows the same in a few words, for a row of a list, because a page has a hundred rows. */
export function devicesInWords(counts: Counts, isMeant: IsMeant): Html {
  const found = new Map(withDevices(counts, isMeant))
  if (found.size === 0) return html`<span class="quiet">${text.noDevices}</span>`
  const named = IN_ROW.flatMap((status) => {
    const devices = found.get(status)
    return devices === undefined ? [] : [inWords(status, devices)]
  })
  const others = [...found].reduce(
    (sum, [status, devices]) => sum + (IN_ROW.includes(status) ? 0 : devices),
    0,
  )
  return html`${[...named, ...(others > 0 ? [text.withStatus(others, text.ended)] : [])].join(' · ')}`
}

const inWords = (status: string, devices: number): string =>
  text.withStatus(devices, text.statuses[status] ?? status)

function withDevices({ counts }: Counts, isMeant: IsMeant): [status: string, devices: number][] {
  const found = new Map<string, number>()
  for (const { status, devices } of counts.filter(isMeant)) {
    found.set(status, (found.get(status) ?? 0) + devices)
  }
  return [...found].filter(([, devices]) => devices > 0)
}

/** Shows when the devices were counted; undefined before the first count. */
export const countedAt = ({ counted_at }: Pick<DeviceCounts, 'counted_at'>): Html | undefined =>
  counted_at === null ? undefined : html`<p class="quiet">${text.countedAt} ${instant(counted_at)}</p>`
