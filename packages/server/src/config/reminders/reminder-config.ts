/** Combines the variables of reminders. */
import { isIP } from 'node:net'
import { classOf, hostIn, isInNetworks } from '../../addresses/address-classes.ts'
import type { ValuesOf } from '../row.ts'
import type { SecretSource } from '../secrets/sources.ts'
import type { REMINDER_VARIABLES } from '../variables/reminders.ts'
import { type MailSender, parseSmtpUrl, parseWebhookSecret, type SmtpServer } from './parse.ts'

export interface ReminderConfig {
  readonly mail:
    | { readonly server: SecretSource<SmtpServer>; readonly from: MailSender | undefined }
    | undefined
  readonly webhook:
    | {
        readonly url: string
        readonly secret: SecretSource<string>
        readonly privateAddresses: readonly string[]
      }
    | undefined
}

type Values = ValuesOf<typeof REMINDER_VARIABLES>

export function reminderConfigOf(values: Values): ReminderConfig {
  const server = sourceOf(values.RATAFIA_SMTP_URL, values.RATAFIA_SMTP_URL_FILE, {
    variable: 'RATAFIA_SMTP_URL_FILE',
    parse: parseSmtpUrl,
  })
  const secret = sourceOf(values.RATAFIA_WEBHOOK_SECRET, values.RATAFIA_WEBHOOK_SECRET_FILE, {
    variable: 'RATAFIA_WEBHOOK_SECRET_FILE',
    parse: parseWebhookSecret,
  })
  const { RATAFIA_WEBHOOK_URL: url, RATAFIA_WEBHOOK_PRIVATE_ADDRESSES: privateAddresses = [] } = values
  return {
    mail: server && { server, from: values.RATAFIA_MAIL_FROM },
    webhook: url === undefined || !secret ? undefined : { url, secret, privateAddresses },
  }
}

function sourceOf<T>(
  value: T | undefined,
  file: string | undefined,
  how: { readonly variable: string; readonly parse: (text: string) => T },
): SecretSource<T> | undefined {
  if (value !== undefined) return { from: 'variable', value }
  return file === undefined ? undefined : { from: 'file', file, ...how }
}

/** Returns a line for each contradiction, beginning with the variable. `isSet` is also true for an invalid variable. */
export function reminderProblems(
  values: Values,
  isSet: (name: keyof typeof REMINDER_VARIABLES) => boolean,
): string[] {
  const problems: string[] = []
  if (isSet('RATAFIA_MAIL_FROM') && !isSet('RATAFIA_SMTP_URL') && !isSet('RATAFIA_SMTP_URL_FILE')) {
    problems.push(
      'RATAFIA_MAIL_FROM has no effect without RATAFIA_SMTP_URL. Also set RATAFIA_SMTP_URL, or remove RATAFIA_MAIL_FROM.',
    )
  }
  const hasSecret = isSet('RATAFIA_WEBHOOK_SECRET') || isSet('RATAFIA_WEBHOOK_SECRET_FILE')
  if (isSet('RATAFIA_WEBHOOK_URL') && !hasSecret) {
    problems.push(
      'RATAFIA_WEBHOOK_SECRET (or RATAFIA_WEBHOOK_SECRET_FILE) is required with RATAFIA_WEBHOOK_URL, so that the receiver can verify the origin of events. `openssl rand -hex 32` creates one.',
    )
  }
  const { RATAFIA_WEBHOOK_URL: url, RATAFIA_WEBHOOK_PRIVATE_ADDRESSES: networks = [] } = values
  const host = url === undefined ? '' : hostIn(new URL(url))
  if (isIP(host) !== 0 && classOf(host) === 'private' && !isInNetworks(host, networks)) {
    problems.push(
      `RATAFIA_WEBHOOK_URL has the private address ${host}. Allow its network with RATAFIA_WEBHOOK_PRIVATE_ADDRESSES.`,
    )
  }
  return problems
}
