/** The text that all console pages share. */
import { type Html, html } from '../../html.ts'

const NUMBER = new Intl.NumberFormat('en')
const PLURAL = new Intl.PluralRules('en')
const DAY = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** `1,204`. */
export const number = (value: number): string => NUMBER.format(value)

/** `1 device`, `1,204 devices`. */
export const counted = (value: number, one: string, other: string): string =>
  `${number(value)} ${PLURAL.select(value) === 'one' ? one : other}`

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/**
 * Rounds to the nearest unit, so that a token for 90 days still expires "in 90 days" a second later. Counts in days
 * up to two years, because the number of days matters to the reader, and in years from then.
 */
function relative(at: Date, now: Date): string {
  const exact = at.getTime() - now.getTime()
  // 59 minutes and 59 seconds are an hour, not 60 minutes.
  const difference = Math.abs(exact) < 60_000 ? exact : Math.round(exact / 60_000) * 60_000
  const days = difference / 86_400_000
  if (Math.abs(days) >= 730) return RELATIVE.format(Math.round(days / 365), 'year')
  const [unit, length] = UNITS.find(([, one]) => Math.abs(difference) >= one) ?? ['second', 1000]
  return unit === 'second'
    ? difference < 0
      ? 'just now'
      : 'in a moment'
    : RELATIVE.format(Math.round(difference / length), unit)
}

export const time = {
  day: (at: Date): string => DAY.format(at),
  instant: (at: Date): string => `${DAY.format(at)} ${CLOCK.format(at)} UTC`,
  relative,
  never: 'never',
}

export const form = {
  refused: 'There is a problem:',
  typeToGoOn: (expected: Html): Html => html`Type ${expected} to confirm`,
  notTyped: (expected: string): string => `Type exactly ${expected}. Nothing was changed.`,
  outOfDate: 'This form belongs to an earlier sign-in. Check it, and send it again.',
  incomplete: 'The form was incomplete. Check it, and send it again.',
  notWhole: 'The form did not arrive complete. Go back, and send it again.',
  oneFile: 'The form has more than one file. Send only one.',
  tooManyFields: (most: number): string =>
    `The form has more than ${number(most)} fields. Select fewer records.`,
  tooManyParts: (most: number): string => `The form has more than ${number(most)} parts.`,
  cancel: 'Cancel',
  copy: 'Copy',
  copied: 'Copied',
}

export const table = {
  choose: 'Select',
  chooseAll: 'Select all on this page',
  chooseOne: (name: string): string => `Select ${name}`,
}

/** `name`: a parameter in the URL. */
const filterName = (name: string): string => (name === 'q' ? 'search' : name.replaceAll('_', ' '))

export const list = {
  show: 'Apply filters',
  clear: 'Clear filters',
  more: 'More filters',
  nothingMatches: 'Nothing matches these filters:',
  filter: (name: string, value: string): string => `${filterName(name)}: ${value.slice(0, 64)}`,
  theFilter: (name: string): string => `The filter “${filterName(name)}”`,
  partial: (examined = 0): string =>
    examined === 0
      ? 'No matches so far, and there are more records to search.'
      : `${counted(examined, 'record', 'records')} searched, without a match so far. Continue with the next ones.`,
  noMore: 'There are no more records.',
  firstPage: 'First page',
  next: 'Next page',
  goOn: 'Continue search',
  shown: (rows: number): string => `${number(rows)} on this page`,
}

export const frame = {
  skip: 'Skip to content',
  mine: 'Personal',
  administration: 'Administration',
  signOut: 'Sign out',
  signIn: 'Sign in',
  error: 'Error: ',
  demo: 'Demo',
  demoText: 'This is a demo. When it stops, everything in it is gone.',
}

export const reminders = {
  /** `sentBy`: the channels that the service sends reminders through; mail is not among them. */
  noMail: (sentBy: readonly string[]): Html =>
    html`This service has no mail server. An operator can set <code>RATAFIA_SMTP_URL</code>${
      sentBy.includes('webhook')
        ? '. Its webhook receives each reminder.'
        : html` or <code>RATAFIA_WEBHOOK_URL</code>.`
    }`,
}

export const errors = {
  titles: {
    400: 'Invalid request',
    403: 'Permission denied',
    404: 'Page not found',
    409: 'Conflicting change',
    413: 'Request too large',
    429: 'Too many requests',
    500: 'Internal error',
    503: 'Service temporarily unavailable',
  } as Readonly<Record<number, string>>,
  noPage: 'The console has no page at this address.',
  back: 'Back to the start page',
  tryAgain: 'Try again',
  nothingLost: 'Nothing was lost, and nothing was changed.',
  signedOut: 'Not signed in any more',
  signedOutText:
    'Nothing was changed, and what you typed is still here. Sign in again in another tab, then come back to this page.',
  lookAgain: 'Back to the form, with what I typed',
  signInElsewhere: 'Sign in (opens another tab)',
  sentBefore: 'Form already sent',
  sentBeforeText:
    'The form took effect the first time, and nothing was changed now. If it created a secret, that was shown then. If you have not saved it, revoke it and create another. To send something else, open the form again.',
  otherSite: 'This form was sent by another site. Nothing was changed.',
}

export const navigation = {
  tokens: 'Tokens',
  publishers: 'Publishing from CI',
  me: 'Sign-in and agents',
  tools: 'Tool setup',
  overview: 'Overview',
  devices: 'Devices',
  clones: 'Clones',
  brands: 'Brands',
  accounts: 'Accounts',
  grants: 'Grants',
  'all-tokens': 'All tokens',
  audit: 'Audit',
  jobs: 'Jobs',
  status: 'Status',
} as const
