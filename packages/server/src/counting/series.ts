/** Who can see the counts over time, and how brands are told apart (decision 52). */
import type { CounterName, ManagementPermission } from '@ratafia/api'

interface Series {
  /** Whether it is also counted for each brand. */
  readonly ofBrands: boolean
  readonly permission: ManagementPermission
}

const OF_BRANDS = { ofBrands: true, permission: 'devices:read' } as const
const OF_SERVICE = { ofBrands: false, permission: 'audit:read' } as const

export const SERIES: Readonly<Record<CounterName, Series>> = {
  registrations: OF_BRANDS,
  'device-sessions': OF_BRANDS,
  'store-questions': OF_BRANDS,
  'token-uses': OF_SERVICE,
  logins: OF_SERVICE,
  refusals: OF_SERVICE,
}

/** In place of a brand's name, for the whole service and for brands beyond {@link MOST_BRANDS}. */
export const ALL_BRANDS = '(all)'
export const OTHER_BRANDS = '(other)'
export const MOST_BRANDS = 200

export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000
