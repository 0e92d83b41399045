/** Sends due reminders, one e-mail per recipient and one request per event, and retries failures later. */
import type { Stores } from '../stores.ts'
import type { Addressee, Channel, Delivery, DueReminder, Ends } from './reminder.ts'
import type { Settled } from './reminder-store.ts'
import { stillEnds, stillTold } from './still-ends.ts'

/** The shortest and the longest wait before a retry. */

const FIRST_MS = 60_000
const LONGEST_MS = 6 * 3_600_000
/** How long after it was queued a reminder is given up. */
const GIVE_UP_MS = 3 * 86_400_000

/**
 * Returns the milliseconds until the next attempt, after this number of attempts: a minute, doubled each time
 * up to six hours, plus or minus a fifth. `random` is from 0 to 1.
 */
export const waitAfter = (attempts: number, random: number): number =>
  Math.round(Math.min(FIRST_MS * 2 ** Math.min(attempts - 1, 20), LONGEST_MS) * (0.8 + random * 0.4))

/**
 * Returns the instant of the next attempt, or undefined if it would be more than three days after the
 * reminder was queued.
 */
function nextAttempt(
  { queuedAt, attempts }: { readonly queuedAt: Date; readonly attempts: number },
  now: Date,
  random: number,
): Date | undefined {
  const next = now.getTime() + waitAfter(attempts, random)
  return next > queuedAt.getTime() + GIVE_UP_MS ? undefined : new Date(next)
}

/** Reminders that were queued before this have had their three days. */
const givenUpBefore = (now: Date): Date => new Date(now.getTime() - GIVE_UP_MS)

/** A reminder, and the current state of what it is about. */
interface Told {
  readonly reminder: DueReminder
  readonly ends: Ends
}

export interface SendDeps extends Stores {
  /** Returns whether to begin another step. */
  readonly goOn: () => Promise<boolean>
  readonly observe: SendObserver
}

export interface SendObserver {
  outcome(channel: Channel, outcome: Settled | 'retried', count: number): void
  /** Reports a reminder that will not be tried again. */
  givenUp(reminder: DueReminder, why: string): void
  /** Reports that nothing can be delivered at the moment. */
  away(channel: Channel, why: string): void
}

/** Sends one e-mail with all of them. */
export type SendMail = (to: Addressee, told: readonly Told[], now: Date) => Promise<Delivery>
/** Sends one request. */
export type PostEvent = (told: Told, now: Date) => Promise<Delivery>

/** How long a process can take over one e-mail. After that it counts as dead, and another process tries. */
const TAKEN_MS = 15 * 60_000
/** The maximum number of reminders in one e-mail. */
const MOST_IN_A_LETTER = 100

/**
 * Sends all due reminders by e-mail. Stops once nothing can be delivered, since the rest would fail in the same way.
 */
export async function sendMails(send: SendMail, deps: SendDeps): Promise<void> {
  await eachTaken({ channel: 'mail', limit: MOST_IN_A_LETTER }, deps, async (taken, now) => {
    const told: Told[] = []
    const dropped: DueReminder[] = []
    let to: Addressee | undefined
    for (const reminder of taken) {
      const ends = await stillEnds(reminder, deps)
      const recipient = ends && (await stillTold(reminder.recipient, ends, deps))
      if (ends && recipient) told.push({ reminder, ends })
      else dropped.push(reminder)
      to = recipient ?? to
    }
    await settle(dropped, 'dropped', deps)
    if (!to) return true
    return settleDelivery(
      told.map(({ reminder }) => reminder),
      await send(to, told, now),
      deps,
    )
  })
}

/** Posts all due reminders, in the same way as {@link sendMails}. */
export async function postEvents(post: PostEvent, deps: SendDeps): Promise<void> {
  await eachTaken({ channel: 'webhook', limit: 1 }, deps, async (taken, now) => {
    for (const reminder of taken) {
      const ends = await stillEnds(reminder, deps)
      if (!ends) await settle([reminder], 'dropped', deps)
      else if (!(await settleDelivery([reminder], await post({ reminder, ends }, now), deps))) return false
    }
    return true
  })
}

/** `work` returns false once nothing can be delivered. */
async function eachTaken(
  what: { readonly channel: Channel; readonly limit: number },
  deps: SendDeps,
  work: (taken: readonly DueReminder[], now: Date) => Promise<boolean>,
): Promise<void> {
  for (;;) {
    const now = deps.clock()
    const until = new Date(now.getTime() + TAKEN_MS)
    const taken = await deps.reminders.take({ ...what, now, until })
    if (taken.length === 0) return
    if (!(await work(taken, now))) return giveUpOld(what.channel, deps)
    if (!(await deps.goOn())) return
  }
}

/** Returns false once nothing can be delivered. */
async function settleDelivery(
  sent: readonly DueReminder[],
  delivery: Delivery,
  deps: SendDeps,
): Promise<boolean> {
  const [first] = sent
  if (delivery.result === 'delivered' || !first) {
    await settle(sent, 'delivered', deps)
    return true
  }
  if (delivery.result === 'away') deps.observe.away(first.channel, delivery.why)
  const now = deps.clock()
  const givenUp: DueReminder[] = []
  for (const reminder of sent) {
    const next = delivery.result === 'refused' ? undefined : nextAttempt(reminder, now, Math.random())
    if (next) await deps.reminders.postpone([reminder.id], next)
    else givenUp.push(reminder)
  }
  deps.observe.outcome(first.channel, 'retried', sent.length - givenUp.length)
  await settle(givenUp, 'given-up', deps)
  for (const reminder of givenUp) deps.observe.givenUp(reminder, delivery.why)
  return delivery.result !== 'away'
}

async function settle(sent: readonly DueReminder[], outcome: Settled, deps: SendDeps): Promise<void> {
  const [first] = sent
  if (!first) return
  await deps.reminders.settle(
    sent.map(({ id }) => id),
    outcome,
  )
  deps.observe.outcome(first.channel, outcome, sent.length)
}

/**
 * While nothing can be delivered, only one reminder is tried at a time, so those that have had their three
 * days are given up here.
 */
async function giveUpOld(channel: Channel, { reminders, clock, observe }: SendDeps): Promise<void> {
  const now = clock()
  const count = await reminders.giveUp({ channel, now, queuedBefore: givenUpBefore(now) })
  if (count > 0) observe.outcome(channel, 'given-up', count)
}
