/** The letter of reminders: plain text, with what a stranger wrote made visible. */
import { daysLeft } from '../reminder-steps.ts'
import { visibleText } from '../text/visible-text.ts'
import { consolePage, switchPage } from './console-page.ts'
import type { Addressee, Ends } from './reminder.ts'

export interface LetterText {
  readonly subject: string
  readonly text: string
}

/** At least one that ends. `baseUrl`: without a trailing slash. */
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
      : `${host}: ${ends.length} of your tokens, keys and roles end soon`
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
      'If you have already replaced something listed here, you need not do anything about it. To get no more reminders, switch them off here:',
      `  ${switchPage(baseUrl)}`,
    ].join('\n'),
  ].join('\n\n')
  return { subject, text: `${text}\n` }
}

const ADVICE: Readonly<Record<Ends['kind'], string>> = {
  token: 'After that, whatever uses it is refused (401). Make another one like it here:',
  'signing-key':
    'After that, the brand signs no serials, and its devices cannot register. Add another key; this page says how:',
  'api-key':
    'After that, devices that register with it are refused. Make another key here, and give it to your factory:',
  grant:
    'After that, you can no longer do what it allows. An operator can give it to you again. The roles that you have now are here:',
}

/** What ends and when, in a few words without a full stop. */
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

/** Characters of a stranger's text. */
const LONGEST = 100

const quoted = (text: string): string => `"${visibleText(text, LONGEST)}"`

function endsIn(endsAt: Date, now: Date): string {
  if (endsAt <= now) return 'has ended'
  const days = daysLeft(endsAt, now)
  if (days <= 1) return days === 1 ? 'ends tomorrow' : 'ends today'
  return `ends in ${days} days`
}

/** `14:05 UTC on 3 December 2026`. */
function utc(at: Date): string {
  const part = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }).format(at)
  const day = part({ day: 'numeric', month: 'long', year: 'numeric' })
  return `${part({ hour: '2-digit', minute: '2-digit' })} UTC on ${day}`
}

const upperFirst = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
