/** The periodic job: queues due reminders every ten minutes and at each new day, and sends them every half minute. */
import { daysLeft } from '../reminder-steps.ts'
import { type QueueDeps, queueReminders } from './queue-reminders.ts'
import { channelsOf } from './reminder.ts'
import { type PostEvent, postEvents, type SendDeps, type SendMail, sendMails } from './send-reminders.ts'

export interface Senders {
  readonly mail: SendMail | undefined
  readonly webhook: PostEvent | undefined
}

type Deps = Omit<QueueDeps, 'channels' | 'goOn'> & Omit<SendDeps, 'goOn'>

const QUEUE_EVERY_MS = 10 * 60_000
const SEND_EVERY_MS = 30_000

/** One job for both, so that everything one run queues for a recipient is in one e-mail. */
export function remindersJob(senders: Senders, deps: Deps) {
  const { mail, webhook } = senders
  const channels = new Set(channelsOf(senders))
  let queuedAt: Date | undefined
  return {
    name: 'reminders',
    everyMs: SEND_EVERY_MS,
    run: async (goOn: () => Promise<boolean>): Promise<void> => {
      const now = deps.clock()
      if (queuedAt === undefined || isOld(queuedAt, now)) {
        if (!(await queueReminders({ ...deps, channels, goOn }))) return
        queuedAt = now
      }
      if (mail) await sendMails(mail, { ...deps, goOn })
      if (webhook && (await goOn())) await postEvents(webhook, { ...deps, goOn })
    },
  }
}

/** Also true for a time that comes from a clock that was ahead. */
const isOld = (then: Date, now: Date): boolean =>
  Math.abs(now.getTime() - then.getTime()) >= QUEUE_EVERY_MS || daysLeft(then, now) !== 0
