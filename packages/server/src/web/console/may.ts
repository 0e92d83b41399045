/** What the person may do, so that pages show no buttons in vain. The operations check it all the same. */
import type { ManagementPermission } from '@ratafia/api'
import type { Me } from '@ratafia/api/schemas'

/** For this brand; without one, for any. */
export const may = (
  { permissions }: Pick<Me, 'permissions'>,
  permission: ManagementPermission,
  brand?: string,
): boolean =>
  permissions.some(
    (one) =>
      one.permission === permission &&
      (brand === undefined || one.brands === null || one.brands.includes(brand)),
  )

/** For all brands, and so for what belongs to none. */
export const mayForAll = (
  { permissions }: Pick<Me, 'permissions'>,
  permission: ManagementPermission,
): boolean => permissions.some((one) => one.permission === permission && one.brands === null)
