/** Routes for grants in the management API. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { tried } from '../../change.ts'
import { noSuchRecord, quote } from '../../errors.ts'
import { grantId, grantRecord, parseGrantId } from '../../grants/grant.ts'
import { instantField } from '../../http/management/instant-text.ts'
import { type AddManagementRoute, seenAs } from '../../http/management/management-route.ts'
import { cursorOf, positionIn } from '../../http/management/pages.ts'
import type { Stores } from '../../stores.ts'
import { addGrant } from './add-grant.ts'
import { listGrants } from './list-grants.ts'
import { removeGrant } from './remove-grant.ts'

/** Adds the routes. `externalAgents`: as in `addGrant`. */
export function grantManagementRoutes(
  add: AddManagementRoute,
  { externalAgents, ...stores }: Stores & { readonly externalAgents: boolean },
): void {
  const api = MANAGEMENT_OPERATIONS

  add(api.grants, async ({ authority, query }) => {
    const { account, role, brand, limit = 100 } = query
    const [after] = positionIn(query, 1) ?? []
    const { rows, next } = await listGrants(
      {
        authority,
        limit,
        filter: { account, role, brandId: brand },
        after: after === undefined ? undefined : parseGrantId(after),
      },
      stores,
    )
    return { grants: rows.map(grantRecord), next: cursorOf(next && [grantId(next)], query) }
  })

  add(api.addGrant, async (asked) => {
    const { account, role, brand, expires, agents } = asked.body
    const grant = await addGrant(
      {
        ...{ account, role, agents, authority: asked.authority, externalAgents },
        brand: brand ?? undefined,
        expires: expires ? instantField('body/expires', expires) : undefined,
      },
      tried(asked, stores),
    )
    return grantRecord(grant)
  })

  add(api.removeGrant, async (asked) => {
    const { id = '' } = asked.parameters
    const grant = parseGrantId(id)
    if (!grant)
      throw noSuchRecord(`There is no grant ${quote(id)}. \`ratafia grants list\` shows them.`, {
        kind: 'grant',
        id,
      })
    const removal = { grant, authority: asked.authority, mustBeSeen: seenAs(asked, grantRecord) }
    return grantRecord(await removeGrant(removal, tried(asked, stores)))
  })
}
