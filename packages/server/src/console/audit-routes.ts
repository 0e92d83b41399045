/** Routes for the audit log pages. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { noSuchRecord } from '../errors.ts'
import type { ConsoleAsked } from '../http/console/asked.ts'
import { refuseBeforeTypingForAll } from '../http/console/before-typing.ts'
import { type ConsoleRoutes, GoTo } from '../http/console/console-routes.ts'
import { midnightOf } from '../http/console/fields.ts'
import {
  auditPage,
  type ChainResult,
  type ChainState,
  type Entry,
  entryPage,
  verifyAuditPage,
} from '../web/console/audit/audit-pages.ts'
import { may } from '../web/console/may.ts'
import { words } from '../web/words/en.ts'

const api = MANAGEMENT_OPERATIONS

export function auditPageRoutes({ page, form, file }: ConsoleRoutes): void {
  page('/audit', async (asked) => {
    const { call, query, now } = asked
    const cursor = query.get('cursor')
    const filters = { ...filterIn(asked), before: query.get('before') }
    const { entries, next, examined } = await call(api.audit, { query: { ...filters, cursor } })
    const isPlain = cursor === undefined && Object.values(filters).every((value) => value === undefined)
    const chain = isPlain ? await chainOf(entries, asked) : undefined
    return auditPage({ entries, next, examined, query, now, chain })
  })

  form('/audit/verify', {
    show: async ({ form, authority }) => {
      refuseBeforeTypingForAll(authority, 'audit:read')
      return verifyAuditPage(form)
    },
    send: async ({ call, fields }) => {
      const { id } = await call(api.verifyAudit, { body: { expect: fields.get('expect') } })
      return new GoTo(`/console/jobs/${encodeURIComponent(id)}`, words.audit.verifying)
    },
  })

  file('/audit/export', (asked) =>
    asked.call(api.exportAudit, { query: { ...filterIn(asked), format: asked.query.get('format') } }),
  )

  page('/audit/:id', async (asked) => entryPage({ entry: await entryNamed(asked), now: asked.now }))
}

const filterIn = ({ query }: ConsoleAsked) => ({
  actor: query.get('actor'),
  action: query.get('action'),
  subject: query.get('subject'),
  since: midnightOf(query.get('since')),
  until: midnightOf(query.get('until')),
})

/** Reads the state of the chain from the newest entries, newest first. They are linked in order, every second. */
async function chainOf(newest: readonly Entry[], { call, me }: ConsoleAsked): Promise<ChainState> {
  const linked = newest.find(({ seq }) => seq !== null)
  const waiting = newest.filter(({ seq }) => seq === null).length
  const ended = await call(api.audit, { query: { action: 'job.end' } })
  const last = ended.entries.find(
    ({ details }) => details['kind'] === 'audit.verify' && details['state'] === 'done',
  )
  const isTheirs = may(me, 'roles:manage') || last?.actor === `account:${me.username}`
  return {
    linked: linked?.seq == null ? undefined : { seq: linked.seq, at: linked.at },
    waiting,
    verified: last && {
      at: last.at,
      job: isTheirs ? last.subject : undefined,
      brokenAt: brokenAtIn(last),
    },
  }
}

function brokenAtIn({ details }: Entry): ChainResult {
  const { broken_at: brokenAt, verified } = details
  if (typeof brokenAt === 'number') return brokenAt
  return typeof verified === 'number' ? null : undefined
}

/**
 * The id of an entry is a UUID v7. It begins with the entry's time in milliseconds, which is used to search the log.
 */
const ID = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Returns the entry. Throws `no-such-record` for an unknown id. */
async function entryNamed({ call, parameters: { id = '' } }: ConsoleAsked): Promise<Entry> {
  const [, high, low] = ID.exec(id) ?? []
  const instant = high === undefined ? Number.NaN : Number.parseInt(`${high}${low}`, 16)
  // A time that RFC 3339 cannot express is not the time of an entry.
  const between = instant < LAST ? { since: textOf(instant), until: textOf(instant + 1) } : NEVER
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { entries, next } = await call(api.audit, { query: { ...between, limit: '1000', cursor } })
    const entry = entries.find((one) => one.id === id)
    if (entry) return entry
    cursor = next
  }
  throw noSuchRecord(words.audit.noSuchEntry, { kind: 'audit-entry', id })
}

const LAST = Date.UTC(9999, 0)
const NEVER = { since: '9999-01-01T00:00:00Z', until: '9999-01-01T00:00:00Z' } as const
const textOf = (instant: number): string => new Date(instant).toISOString()
