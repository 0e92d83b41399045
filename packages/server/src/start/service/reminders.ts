/** Connects reminders with the configured mail server and webhook. */
import { isIP } from 'node:net'
import { hostIn } from '../../addresses/address-classes.ts'
import { type Config, serviceAddress } from '../../config/config.ts'
import { readSecretText } from '../../config/secrets/secret-text.ts'
import type { SecretSource } from '../../config/secrets/sources.ts'
import type { Installation } from '../../installation.ts'
import type { Job } from '../../jobs/run-jobs.ts'
import { endsKey, switchPage } from '../../reminders/reminder.ts'
import { reminderMail } from '../../reminders/reminder-mail.ts'
import { remindersJob, type Senders } from '../../reminders/run-reminders.ts'
import type { SendMail, SendObserver } from '../../reminders/send-reminders.ts'
import { smtpMailer } from '../../reminders/smtp-mailer.ts'
import { webhookPoster } from '../../reminders/webhook.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Metrics } from '../../telemetry/metrics.ts'

/** Returns the senders, with their secrets. Throws `ConfigError`. */
export async function reminderSenders(config: Config, log: Pick<Log, 'warn'>): Promise<Senders> {
  const { mail, webhook } = config.reminders
  const baseUrl = serviceAddress(config)
  const read = async <T>(source: SecretSource<T>): Promise<T> => {
    const { value, warnings } = await readSecretText(source)
    for (const warning of warnings) log.warn(warning)
    return value
  }
  return {
    mail: mail && mailSender(await read(mail.server), mail.from ?? senderAt(baseUrl), baseUrl),
    webhook:
      webhook &&
      webhookPoster({ ...webhook, secret: await read(webhook.secret) }, { post: await poster(), baseUrl }),
  }
}

const senderAt = (baseUrl: string) => {
  const host = hostIn(new URL(baseUrl))
  // The part after the @ must be a name.
  return { name: '', address: `ratafia@${isIP(host) === 0 ? host : 'localhost'}` }
}

function mailSender(
  server: Parameters<typeof smtpMailer>[0],
  from: Parameters<typeof smtpMailer>[1],
  baseUrl: string,
): SendMail {
  const mailer = smtpMailer(server, from)
  return (to, told, now) => {
    const [first] = told
    if (!first) throw new TypeError('an e-mail has at least one reminder')
    // An e-mail mentions a session, a key or a role once, even if several of its reminders were waiting.
    const ends = new Map(told.map((one) => [endsKey(one.reminder), one.ends]))
    const letter = reminderMail(to, [...ends.values()], now, { baseUrl })
    return mailer({ ...letter, to, date: now, id: first.reminder.id, unsubscribe: switchPage(baseUrl) })
  }
}

/** Loads the code for outgoing connections only if it is needed. */
const poster = async () => (await import('../../http/outgoing/post.ts')).textPoster()

/** Returns undefined if neither a mail server nor a webhook is configured. */
export function jobOfReminders(
  installation: Installation,
  senders: Senders,
  { log, metrics }: { readonly log: Pick<Log, 'warn'>; readonly metrics: Metrics },
): Job | undefined {
  if (!senders.mail && !senders.webhook) return undefined
  return remindersJob(senders, { ...installation, observe: observing(log, metrics) })
}

/** Logs neither addresses nor text that users wrote. */
const observing = (log: Pick<Log, 'warn'>, metrics: Metrics): SendObserver => ({
  outcome: (channel, outcome, count) => metrics.reminded(channel, outcome, count),
  away: (channel, why) => log.warn({ channel, why }, 'reminders could not be sent, and will be retried'),
  givenUp: ({ channel, recipient, kind, subject, days }, why) =>
    log.warn({ channel, recipient, kind, subject, days, why }, 'gave up on a reminder'),
})
