/** Queues the reminders that are due today: for the owners of what expires, and for the webhook. */
import type { Role } from '@ratafia/api'
import { grantId } from '../grants/grant.ts'
import { endsWithSteps, type Life, stepAt } from '../reminder-steps.ts'
import type { Stores } from '../stores.ts'
import type { EndingPosition, GrantPosition, Recipient } from './ending-store.ts'
import type { Channel, Ending, ReminderKey } from './reminder.ts'
import { endingSigningKeys } from './still-ends.ts'

export interface QueueDeps extends Stores {
  /** The configured channels. */
  readonly channels: ReadonlySet<Channel>
  /** Returns whether to begin another step. */
  readonly goOn: () => Promise<boolean>
}

/** Rows in one statement. */
const PAGE = 500

/**
 * Queues all due reminders. It is idempotent: reminders that any process has already queued stay unchanged.
 * Returns false if `goOn` stopped it.
 */
export async function queueReminders(deps: QueueDeps): Promise<boolean> {
  const now = deps.clock()
  const managersOf = rememberedManagers(now, deps)
  for (const pages of [tokenPages, apiKeyPages, signingKeyPages, grantPages]) {
    for await (const page of pages(now, managersOf, deps)) {
      const keys = keysOf(page, now, deps.channels)
      // Each item of a page can have many recipients.
      for (let at = 0; at < keys.length; at += PAGE)
        await deps.reminders.queue(keys.slice(at, at + PAGE), now)
      if (!(await deps.goOn())) return false
    }
  }
  return true
}

/** Something that expires, its lifetime, and the recipients of mail about it. */
interface Found extends Ending, Life {
  readonly recipients: readonly Recipient[]
}

type Pages = (now: Date, managersOf: ManagersOf, deps: QueueDeps) => AsyncIterable<readonly Found[]>

const tokenPages: Pages = async function* (now, _, { endings }) {
  for (let after: EndingPosition | undefined; ; ) {
    const page = await endings.tokens({ ...endsWithSteps(now), after, limit: PAGE })
    yield page.map(({ id, since, endsAt, recipient }) => ({
      ...{ kind: 'token', subject: id, since, endsAt },
      recipients: recipient ? [recipient] : [],
    }))
    after = page.at(-1)
    if (page.length < PAGE) return
  }
}

const apiKeyPages: Pages = async function* (now, managersOf, { endings }) {
  for (let after: EndingPosition | undefined; ; ) {
    const page = await endings.apiKeys({ ...endsWithSteps(now), after, limit: PAGE })
    const found: Found[] = []
    for (const { id, since, endsAt, brandId } of page) {
      found.push({
        kind: 'api-key',
        subject: id,
        ...{ since, endsAt, recipients: await managersOf(brandId) },
      })
    }
    yield found
    after = page.at(-1)
    if (page.length < PAGE) return
  }
}

const grantPages: Pages = async function* (now, _, { endings }) {
  for (let after: GrantPosition | undefined; ; ) {
    const page = await endings.grants({ ...endsWithSteps(now), after, limit: PAGE })
    yield page.map(({ accountId, role, brandId, since, endsAt, recipient }) => ({
      kind: 'grant',
      // The id only names the role, so it can be one that this release doesn't know.
      subject: grantId({ accountId, role: role as Role, brandId }),
      ...{ since, endsAt, recipients: recipient ? [recipient] : [] },
    }))
    after = page.at(-1)
    if (page.length < PAGE) return
  }
}

/** A brand has only a few keys, so they are one page. */
const signingKeyPages: Pages = async function* (_, managersOf, deps) {
  for (let after: string | undefined; ; ) {
    const brands = await deps.brands.page({ brands: 'all', after, limit: PAGE })
    for (const { accountId } of brands) {
      const found: Found[] = []
      for (const { keyId, since, endsAt } of await endingSigningKeys(accountId, deps)) {
        found.push({
          kind: 'signing-key',
          subject: keyId,
          ...{ since, endsAt, recipients: await managersOf(accountId) },
        })
      }
      yield found
    }
    after = brands.at(-1)?.accountId
    if (brands.length < PAGE) return
  }
}

function keysOf(page: readonly Found[], now: Date, channels: ReadonlySet<Channel>): ReminderKey[] {
  return page.flatMap((found) => {
    const days = stepAt(found, now)
    if (days === undefined) return []
    const { kind, subject, endsAt, recipients } = found
    const key = { kind, subject, endsAt, days }
    return [
      ...(channels.has('mail')
        ? recipients.map(({ id }) => ({ ...key, channel: 'mail' as const, recipient: id }))
        : []),
      ...(channels.has('webhook') ? [{ ...key, channel: 'webhook' as const, recipient: '' }] : []),
    ]
  })
}

type ManagersOf = (brandId: string) => Promise<readonly Recipient[]>

/** Caches the managers, because many keys belong to one brand. */
function rememberedManagers(now: Date, { endings }: Pick<QueueDeps, 'endings'>): ManagersOf {
  const known = new Map<string, Promise<readonly Recipient[]>>()
  return (brandId) => {
    const managers = known.get(brandId) ?? endings.managersOf(brandId, now)
    known.set(brandId, managers)
    return managers
  }
}
