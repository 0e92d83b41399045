/** Queues what is due today: for whoever owns what ends, and for the webhook. */
import type { Role } from '@ratafia/api'
import { grantId } from '../grants/grant.ts'
import { endsWithSteps, type Life, stepAt } from '../reminder-steps.ts'
import type { Stores } from '../stores.ts'
import type { EndingPosition, GrantPosition, Recipient } from './ending-store.ts'
import type { Channel, Ending, ReminderKey } from './reminder.ts'
import { endingSigningKeys } from './signing-key-ends.ts'

export interface QueueDeps extends Stores {
  /** Those that are configured. */
  readonly channels: ReadonlySet<Channel>
  /** Whether to begin another step. */
  readonly goOn: () => Promise<boolean>
}

/** Rows of one statement. */
const PAGE = 500

/**
 * Idempotent: what is queued already stays as it is, whichever process queued it. Returns whether it came to its end:
 * `goOn` may have stopped it.
 */
export async function queueReminders(deps: QueueDeps): Promise<boolean> {
  const now = deps.clock()
  const managersOf = rememberedManagers(now, deps)
  for (const pages of [tokenPages, apiKeyPages, signingKeyPages, grantPages]) {
    for await (const page of pages(now, managersOf, deps)) {
      const keys = keysOf(page, now, deps.channels)
      // Each of a page may have many recipients.
      for (let at = 0; at < keys.length; at += PAGE)
        await deps.reminders.queue(keys.slice(at, at + PAGE), now)
      if (!(await deps.goOn())) return false
    }
  }
  return true
}

/** What ends, how long it lived, and who is told of it by mail. */
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
      // The id only names the role: one that this release does not know may stand there.
      subject: grantId({ accountId, role: role as Role, brandId }),
      ...{ since, endsAt, recipients: recipient ? [recipient] : [] },
    }))
    after = page.at(-1)
    if (page.length < PAGE) return
  }
}

/** A brand has a few keys, so that each is a page. */
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

/** Many keys are of one brand. */
function rememberedManagers(now: Date, { endings }: Pick<QueueDeps, 'endings'>): ManagersOf {
  const known = new Map<string, Promise<readonly Recipient[]>>()
  return (brandId) => {
    const managers = known.get(brandId) ?? endings.managersOf(brandId, now)
    known.set(brandId, managers)
    return managers
  }
}
