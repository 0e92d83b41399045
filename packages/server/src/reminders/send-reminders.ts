/** Sends what is due, one letter for a recipient and one request for each event; what fails is tried again later. */
import type { Stores } from '../stores.ts'
import type { Addressee, Channel, Delivery, DueReminder, Ends } from './reminder.ts'
import type { Settled } from './reminder-store.ts'
import { stillEnds, stillTold } from './still-ends.ts'

/** When an attempt that failed is made again. */

const FIRST_MS = 60_000
const LONGEST_MS = 6 * 3_600_000
/** From when it was queued. */
const GIVE_UP_MS = 3 * 86_400_000

/**
 * Milliseconds until the next attempt, after so many: a minute, doubled each time up to six hours, a fifth more or less.
 * `random` is from 0 to 1.
 */
export const waitAfter = (attempts: number, random: number): number =>
  Math.round(Math.min(FIRST_MS * 2 ** Math.min(attempts - 1, 20), LONGEST_MS) * (0.8 + random * 0.4))

/** The instant of the next attempt, or undefined where it would come more than three days after the reminder was queued. */
function nextAttempt(
  { queuedAt, attempts }: { readonly queuedAt: Date; readonly attempts: number },
  now: Date,
  random: number,
): Date | undefined {
  const next = now.getTime() + waitAfter(attempts, random)
  return next > queuedAt.getTime() + GIVE_UP_MS ? undefined : new Date(next)
}

/** What was queued before this has had its three days. */
const givenUpBefore = (now: Date): Date => new Date(now.getTime() - GIVE_UP_MS)

/** A reminder, and what it is about at this moment. */
interface Told {
  readonly reminder: DueReminder
  readonly ends: Ends
}

export interface SendDeps extends Stores {
  /** Whether to begin another step. */
  readonly goOn: () => Promise<boolean>
  readonly observe: SendObserver
}

export interface SendObserver {
  outcome(channel: Channel, outcome: Settled | 'retried', count: number): void
  /** It will not be tried again. */
  givenUp(reminder: DueReminder, why: string): void
  /** Nothing gets through at the moment. */
  away(channel: Channel, why: string): void
}

/** One letter with all of them. */
export type SendMail = (to: Addressee, told: readonly Told[], now: Date) => Promise<Delivery>
/** One request. */
export type PostEvent = (told: Told, now: Date) => Promise<Delivery>

/** How long a process may take over one letter: after that it has died, and another one tries. */
const TAKEN_MS = 15 * 60_000
/** What one letter tells of. */
const MOST_IN_A_LETTER = 100

/** Mails all that is due. Stops once nothing gets through: then the rest would wait for the same. */
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

/** Posts all that is due, as {@link sendMails} mails it. */
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

/** `work`: false once nothing gets through. */
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

/** False once nothing gets through. */
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

/** While nothing gets through, one is tried at a time: what had its three days meanwhile is not tried any more. */
async function giveUpOld(channel: Channel, { reminders, clock, observe }: SendDeps): Promise<void> {
  const now = clock()
  const count = await reminders.giveUp({ channel, now, queuedBefore: givenUpBefore(now) })
  if (count > 0) observe.outcome(channel, 'given-up', count)
}
