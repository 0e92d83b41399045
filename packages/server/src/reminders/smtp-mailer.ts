/** Sends mail to the operator's mail server with nodemailer, which is loaded for the first mail. */
import type { SentMessageInfo, Transporter } from 'nodemailer'
import { isEmail } from '../accounts/account-fields.ts'
import type { Addressee, Delivery } from './reminder.ts'

export interface MailServer {
  readonly host: string
  readonly port: number
  /** Whether to use TLS from the first byte (smtps), instead of STARTTLS if the server offers it. */
  readonly secure: boolean
  /** Whether it runs on this machine, with no network in between. */
  readonly loopback: boolean
  readonly login: { readonly user: string; readonly password: string } | undefined
}

export interface Letter {
  readonly to: Addressee
  readonly subject: string
  /** Plain text. */
  readonly text: string
  /** Becomes the Message-ID. */
  readonly id: string
  readonly date: Date
  /** The page where the recipient switches such e-mails off. */
  readonly unsubscribe: string
}

export type Mailer = (letter: Letter) => Promise<Delivery>

const TIMEOUT_MS = 20_000
const STEP_MS = 10_000

/** `from` is an address, alone or as `NAME <ADDRESS>`. */
export function smtpMailer(
  server: MailServer,
  from: { readonly name: string; readonly address: string },
): Mailer {
  let transporter: Promise<Transporter<SentMessageInfo>> | undefined
  const [, host = 'localhost'] = from.address.split('@')
  return async ({ to, subject, text, id, date, unsubscribe }) => {
    // Nodemailer would read it as a list, and send the e-mail to all addresses.
    if (!isEmail(to.email))
      return { result: 'refused', why: 'mail cannot be sent to the address of the account' }
    transporter ??= transporterTo(server)
    try {
      await (await transporter).sendMail({
        from,
        to: { name: '', address: to.email },
        envelope: { from: from.address, to: [to.email] },
        subject,
        text,
        date,
        messageId: `<${id}@${host}>`,
        headers: { 'List-Unsubscribe': `<${unsubscribe}>`, 'Auto-Submitted': 'auto-generated' },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      return { result: 'delivered' }
    } catch (error) {
      return failureOf(error)
    }
  }
}

async function transporterTo(server: MailServer): Promise<Transporter<SentMessageInfo>> {
  const { host, port, secure, loopback, login } = server
  const { createTransport } = await import('nodemailer')
  return createTransport({
    ...{ host, port, secure },
    ...(login && { auth: { user: login.user, pass: login.password } }),
    // A password is never sent in clear text. The mail server of this machine can have a self-signed certificate.
    requireTLS: !secure && !loopback && login !== undefined,
    ignoreTLS: loopback,
    // Set explicitly, whatever NODE_TLS_REJECT_UNAUTHORIZED contains.
    tls: { rejectUnauthorized: true, minVersion: 'TLSv1.2' },
    dnsTimeout: STEP_MS,
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    // E-mails contain only text.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/**
 * Maps an error to an outcome. A 5xx about this e-mail refuses it permanently; a 4xx about it means later.
 * All other errors, including a refused login or sender, concern the server, so nothing can be delivered. The
 * reasons are in our own words, because the server's could repeat what it was sent.
 */
function failureOf(error: unknown): Delivery {
  const {
    code = '',
    responseCode,
    command,
  } = (error instanceof Error ? error : {}) as Partial<
    Record<'code' | 'command', string> & Record<'responseCode', number>
  >
  // The sender is the same for all e-mails, and so is a missing login (530, RFC 4954).
  if (responseCode === 530) return { result: 'away', why: 'the mail server requires a login or TLS first' }
  if (responseCode !== undefined && command === 'MAIL FROM') {
    return { result: 'away', why: `the mail server answered ${responseCode} to the sender RATAFIA_MAIL_FROM` }
  }
  if (responseCode !== undefined && (code === 'EENVELOPE' || code === 'EMESSAGE')) {
    const why = `the mail server answered ${responseCode}`
    return { result: responseCode >= 500 ? 'refused' : 'later', why }
  }
  // Nodemailer rejects the address: it was not sent, and never can be.
  if (code === 'EENVELOPE') return { result: 'refused', why: 'the mail server cannot accept the address' }
  return { result: 'away', why: REASONS[code] ?? 'the connection to the mail server failed' }
}

const REASONS: Readonly<Record<string, string>> = {
  EAUTH: 'the mail server refused the login of RATAFIA_SMTP_URL',
  ENOAUTH: 'the mail server requires a login, but RATAFIA_SMTP_URL contains none',
  ETLS: 'TLS with the mail server failed, or its certificate is not trusted',
  EDNS: 'the name of the mail server cannot be looked up',
  ETIMEDOUT: 'the mail server did not answer in time',
  EABORT: 'the mail server did not answer in time',
  ESOCKET: 'the mail server cannot be reached, or its certificate is not trusted',
}
