/** The management API routes for publishing from CI. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { tried } from '../change.ts'
import { invalidField } from '../errors.ts'
import type { AddManagementRoute } from '../http/management/management-route.ts'
import { cursorOf, positionIn } from '../http/management/pages.ts'
import type { Stores } from '../stores.ts'
import { issuerRecord, listIssuers } from './issuers/find.ts'
import { findOwnRule, listOwnRules, withWarnings } from './rules/managing/find-rule.ts'
import { publisherRecord, testedRecord } from './rules/managing/publisher-record.ts'
import { removeRule } from './rules/managing/remove-rule.ts'
import { claimsIn, testKnownRule } from './rules/managing/test-rule.ts'

export function publisherManagementRoutes(
  add: AddManagementRoute,
  deps: Parameters<typeof testKnownRule>[1] & Stores,
): void {
  const api = MANAGEMENT_OPERATIONS

  add(api.issuers, async () => ({
    issuers: (await listIssuers(deps)).map(({ issuer }) => issuerRecord(issuer, deps.baseUrl)),
  }))

  add(api.myPublishers, async ({ authority, query }) => {
    const { limit = 100 } = query
    const [after] = positionIn(query, 1) ?? []
    const { rows, next } = await listOwnRules({ authority, after, limit }, deps)
    return {
      publishers: rows.map((known) => publisherRecord(known, deps.clock())),
      next: cursorOf(next && [next.rule.name], query),
    }
  })

  add(api.myPublisher, async ({ authority, parameters: { id: name = '' } }) => {
    const shown = await withWarnings(await findOwnRule({ authority, name }, deps), deps)
    return { ...publisherRecord(shown, deps.clock()), warnings: shown.warnings }
  })

  add(api.testMyPublisher, async ({ authority, parameters: { id: name = '' }, body }) => {
    const known = await findOwnRule({ authority, name }, deps)
    const { claims = claimsIn(body.id_token ?? missing()) } = body
    return testedRecord(await testKnownRule({ known, claims }, deps))
  })

  add(api.removeMyPublisher, async ({ authority, parameters: { id: name = '' }, dryRun, ifMatch }) => {
    const mustBeSeen = ifMatch && (await seenAs(ifMatch, { authority, name }))
    const ended = await removeRule({ name, authority, own: true, mustBeSeen }, tried({ dryRun }, deps))
    return { ...publisherRecord(ended, deps.clock()), revoked: ended.revoked }
  })

  /** Reads the warnings first, because they depend only on the issuer; the rule is compared under its lock. */
  const seenAs = async (ifMatch: (record: object) => void, which: Parameters<typeof findOwnRule>[0]) => {
    const { warnings } = await withWarnings(await findOwnRule(which, deps), deps)
    return (now: Awaited<ReturnType<typeof findOwnRule>>) =>
      ifMatch({ ...publisherRecord(now, deps.clock()), warnings })
  }
}

/** Never reached: the schema requires one of the two. */
function missing(): never {
  throw invalidField('body has neither claims nor id_token.', { field: 'body/claims' })
}
