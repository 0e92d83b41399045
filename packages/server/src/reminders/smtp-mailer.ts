/** Hands letters to the operator's mail server, by nodemailer, which is loaded with the first one. */
import type { SentMessageInfo, Transporter } from 'nodemailer'
import { isEmail } from '../accounts/account-fields.ts'
import type { Addressee, Delivery } from './reminder.ts'

export interface MailServer {
  readonly host: string
  readonly port: number
  /** TLS from the first byte (smtps). Otherwise STARTTLS, if the server offers it. */
  readonly secure: boolean
  /** It is this machine: nobody is in between. */
  readonly loopback: boolean
  readonly login: { readonly user: string; readonly password: string } | undefined
}

export interface Letter {
  readonly to: Addressee
  readonly subject: string
  /** Plain text. */
  readonly text: string
  /** Makes its Message-ID. */
  readonly id: string
  readonly date: Date
  /** The page where the recipient switches such letters off. */
  readonly unsubscribe: string
}

export type Mailer = (letter: Letter) => Promise<Delivery>

const TIMEOUT_MS = 20_000
const STEP_MS = 10_000

/** `from`: an address, alone or as `NAME <ADDRESS>`. */
export function smtpMailer(
  server: MailServer,
  from: { readonly name: string; readonly address: string },
): Mailer {
  let transporter: Promise<Transporter<SentMessageInfo>> | undefined
  const [, host = 'localhost'] = from.address.split('@')
  return async ({ to, subject, text, id, date, unsubscribe }) => {
    // Nodemailer would read a list in it, and send the letter to all of them.
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
    // A password never travels in the clear. The mail server of this machine may have a certificate of its own making.
    requireTLS: !secure && !loopback && login !== undefined,
    ignoreTLS: loopback,
    // Even if NODE_TLS_REJECT_UNAUTHORIZED says otherwise.
    tls: { rejectUnauthorized: true, minVersion: 'TLSv1.2' },
    dnsTimeout: STEP_MS,
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    // Letters have text alone.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/**
 * 5xx about this letter: refused for good. Its 4xx: later. All else, a refused login or sender too, is about the server:
 * nothing gets through. In our own words: the server's may repeat what it was sent.
 */
function failureOf(error: unknown): Delivery {
  const {
    code = '',
    responseCode,
    command,
  } = (error instanceof Error ? error : {}) as Partial<
    Record<'code' | 'command', string> & Record<'responseCode', number>
  >
  // Of all letters the sender is the same, and so is whoever has not logged in (530, RFC 4954).
  if (responseCode === 530) return { result: 'away', why: 'the mail server wants a login or TLS first' }
  if (responseCode !== undefined && command === 'MAIL FROM') {
    return { result: 'away', why: `the mail server answered ${responseCode} to the sender RATAFIA_MAIL_FROM` }
  }
  if (responseCode !== undefined && (code === 'EENVELOPE' || code === 'EMESSAGE')) {
    const why = `the mail server answered ${responseCode}`
    return { result: responseCode >= 500 ? 'refused' : 'later', why }
  }
  // An address that nodemailer finds wrong: it was not sent, and never can be.
  if (code === 'EENVELOPE') return { result: 'refused', why: 'the mail server cannot take the address' }
  return { result: 'away', why: REASONS[code] ?? 'the connection to the mail server failed' }
}

const REASONS: Readonly<Record<string, string>> = {
  EAUTH: 'the mail server refused the login of RATAFIA_SMTP_URL',
  ENOAUTH: 'the mail server wants a login: RATAFIA_SMTP_URL has none',
  ETLS: 'there is no TLS with the mail server, or its certificate is not trusted',
  EDNS: 'the name of the mail server cannot be looked up',
  ETIMEDOUT: 'the mail server did not answer in time',
  EABORT: 'the mail server did not answer in time',
  ESOCKET: 'the mail server cannot be reached, or its certificate is not trusted',
}
