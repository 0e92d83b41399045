/** Checks what the user may do, so that pages hide useless buttons. The operations check permissions again. */
import type { ManagementPermission } from '@ratafia/api'
import type { Me } from '@ratafia/api/schemas'

/** Checks a permission for this brand, or without `brand` for any brand. */
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

/** Checks a permission for all brands, which includes records that belong to no brand. */
export const mayForAll = (
  { permissions }: Pick<Me, 'permissions'>,
  permission: ManagementPermission,
): boolean => permissions.some((one) => one.permission === permission && one.brands === null)
