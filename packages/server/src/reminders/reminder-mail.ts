/** The e-mail with reminders: plain text, with invisible characters in users' text made visible. */
import { daysLeft } from '../reminder-steps.ts'
import { visibleText } from '../text/visible-text.ts'
import { type Addressee, consolePage, type Ends, switchPage } from './reminder.ts'

export interface LetterText {
  readonly subject: string
  readonly text: string
}

/** At least one thing expires. `baseUrl` has no slash at the end. */
export function reminderMail(
  to: Addressee,
  ends: readonly Ends[],
  now: Date,
  { baseUrl }: { readonly baseUrl: string },
): LetterText {
  const { host } = new URL(baseUrl)
  const [only, ...others] = ends
  const subject =
    only && others.length === 0
      ? `${host}: ${sentenceOf(only, now)}`
      : `${host}: ${ends.length} of your tokens, keys and roles expire soon`
  const items = ends.map((one) =>
    [
      `${upperFirst(sentenceOf(one, now))}, at ${utc(one.endsAt)}.`,
      `  ${ADVICE[one.kind]}`,
      `  ${consolePage(one, baseUrl)}`,
    ].join('\n'),
  )
  const text = [
    `Hello ${visibleText(to.name, 128)},`,
    `This is a reminder from ${baseUrl} for the account ${to.username}.`,
    ...items,
    [
      "If you have already replaced something listed here, you don't need to do anything. To stop these reminders, switch them off here:",
      `  ${switchPage(baseUrl)}`,
    ].join('\n'),
  ].join('\n\n')
  return { subject, text: `${text}\n` }
}

const ADVICE: Readonly<Record<Ends['kind'], string>> = {
  token: 'After that, requests with it are refused (401). Create another one like it here:',
  'signing-key':
    'After that, the brand cannot sign serials, and its devices cannot register. Add another key; this page explains how:',
  'api-key':
    'After that, devices that register with it are refused. Create another key here, and give it to your factory:',
  grant: 'After that, you lose its permissions. An operator can grant it again. Your current roles are here:',
}

/** Returns what expires and when, in a few words without a full stop. */
function sentenceOf(ends: Ends, now: Date): string {
  return `${nameOf(ends)} ${endsIn(ends.endsAt, now)}`
}

function nameOf(ends: Ends): string {
  switch (ends.kind) {
    case 'token':
      return ends.description ? `your token ${quoted(ends.description)}` : 'your token without a description'
    case 'signing-key':
      return `the signing key ${quoted(ends.name ?? ends.keyId)} of the brand ${ends.brandId}`
    case 'api-key':
      return `the API key ${quoted(ends.label)} of the model ${ends.model}`
    case 'grant':
      return `your role ${ends.role}${ends.brandId === undefined ? '' : ` for the brand ${ends.brandId}`}`
  }
}

/** The limit of a user's text, in characters. */
const LONGEST = 100

const quoted = (text: string): string => `"${visibleText(text, LONGEST)}"`

function endsIn(endsAt: Date, now: Date): string {
  if (endsAt <= now) return 'has expired'
  const days = daysLeft(endsAt, now)
  if (days <= 1) return days === 1 ? 'expires tomorrow' : 'expires today'
  return `expires in ${days} days`
}

/** Formats a time as `14:05 UTC on 3 December 2026`. */
function utc(at: Date): string {
  const part = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }).format(at)
  const day = part({ day: 'numeric', month: 'long', year: 'numeric' })
  return `${part({ hour: '2-digit', minute: '2-digit' })} UTC on ${day}`
}

const upperFirst = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
