/** The variables of reminders by mail and by webhook. */

import {
  parsePrivateNetworks,
  parseSender,
  parseSmtpUrl,
  parseWebhookSecret,
  parseWebhookUrl,
} from '../reminders/parse.ts'
import { optional } from '../row.ts'
import { parseFilePath } from '../values.ts'

export const REMINDER_VARIABLES = {
  RATAFIA_SMTP_URL: optional({
    default: 'none: no mail',
    meaning:
      'Mail server for reminders about what expires soon: `smtps://USER:PASSWORD@HOST` (port 465), or `smtp://…` (port 587, with STARTTLS, which a login requires unless the server is on this machine)',
    parse: parseSmtpUrl,
  }),
  RATAFIA_SMTP_URL_FILE: optional({
    default: 'none',
    meaning: 'File with that URL, instead of RATAFIA_SMTP_URL',
    parse: parseFilePath,
  }),
  RATAFIA_MAIL_FROM: optional({
    default: '`ratafia@` followed by the host of the base URL',
    meaning: 'Sender of the mail, as `ADDRESS` or `NAME <ADDRESS>`',
    parse: parseSender,
  }),
  RATAFIA_WEBHOOK_URL: optional({
    default: 'none',
    meaning:
      'URL that receives each reminder as a signed event: https, or http at a loopback address. Redirects are not followed',
    parse: parseWebhookUrl,
  }),
  RATAFIA_WEBHOOK_SECRET: optional({
    default: 'none',
    meaning:
      'Secret that signs the events: 32 to 512 printable characters, required with RATAFIA_WEBHOOK_URL',
    parse: parseWebhookSecret,
  }),
  RATAFIA_WEBHOOK_SECRET_FILE: optional({
    default: 'none',
    meaning: 'File with that secret, instead of RATAFIA_WEBHOOK_SECRET',
    parse: parseFilePath,
  }),
  RATAFIA_WEBHOOK_PRIVATE_ADDRESSES: optional({
    default: 'none: only public addresses',
    meaning: 'Comma-separated CIDR blocks of private networks that the webhook may be in',
    parse: parsePrivateNetworks,
  }),
} as const
