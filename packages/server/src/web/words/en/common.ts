/** Words of all pages of the console. */
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
 * To the nearest unit: what was made for 90 days ends in 90 days, a second later too. From two years on in years, and up
 * to then in days: how many days are left is what decides.
 */
function relative(at: Date, now: Date): string {
  const exact = at.getTime() - now.getTime()
  // So that 59 minutes and 59 seconds are an hour, and not 60 minutes.
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
  refused: 'Nothing was done. Correct this first:',
  typeToGoOn: (expected: Html): Html => html`Type ${expected} to go on`,
  notTyped: (expected: string): string => `Type exactly ${expected}. Nothing was done.`,
  outOfDate: 'This form was made for an earlier sign-in. Check it, and send it again.',
  incomplete: 'The form was incomplete. Check it, and send it again.',
  notWhole: 'The form did not arrive whole. Go back, and send it again.',
  oneFile: 'The form has more than one file. Send one.',
  tooManyFields: (most: number): string =>
    `The form has more than ${number(most)} fields. Choose fewer records.`,
  tooManyParts: (most: number): string => `The form has more than ${number(most)} parts.`,
  cancel: 'Cancel',
  copy: 'Copy',
  copied: 'Copied',
}

export const table = {
  choose: 'Choose',
  chooseAll: 'Choose all on this page',
  chooseOne: (name: string): string => `Choose ${name}`,
}

/** `name`: of a parameter of the address. */
const filterName = (name: string): string => (name === 'q' ? 'search' : name.replaceAll('_', ' '))

export const list = {
  show: 'Show',
  clear: 'Clear the filters',
  more: 'More filters',
  nothingMatches: 'Nothing matches these filters:',
  filter: (name: string, value: string): string => `${filterName(name)}: ${value.slice(0, 64)}`,
  theFilter: (name: string): string => `The filter “${filterName(name)}”`,
  partial: (examined = 0): string =>
    examined === 0
      ? 'Nothing fits so far, and there is more to look at.'
      : `${counted(examined, 'record', 'records')} looked at, and none fits so far. Go on to look at the next ones.`,
  noMore: 'There is nothing more.',
  firstPage: 'First page',
  next: 'Next page',
  goOn: 'Go on',
  shown: (rows: number): string => `${number(rows)} on this page`,
}

export const frame = {
  skip: 'Skip to the content',
  mine: 'Mine',
  administration: 'Administration',
  signOut: 'Sign out',
  signIn: 'Sign in',
  error: 'Error: ',
}

export const reminders = {
  /** `sentBy`: how the service sends reminders, without mail. */
  noMail: (sentBy: readonly string[]): Html =>
    html`This service sends no mail, because no mail server is set: an operator sets <code>RATAFIA_SMTP_URL</code>. ${
      sentBy.includes('webhook')
        ? 'Its webhook gets each reminder.'
        : html`A webhook works without mail: <code>RATAFIA_WEBHOOK_URL</code>.`
    }`,
}

export const errors = {
  titles: {
    400: 'This is not possible',
    403: 'You may not do this',
    404: 'There is no such page',
    409: 'This has changed',
    413: 'This is too large',
    429: 'Too many requests',
    500: 'Something failed',
    503: 'The service is away for a moment',
  } as Readonly<Record<number, string>>,
  noPage: 'There is no page of the console at this address.',
  back: 'Back to the start page',
  tryAgain: 'Try again',
  nothingLost: 'Nothing was lost, and nothing was done.',
  signedOut: 'You are not signed in any more',
  signedOutText:
    'Nothing was done, and what you typed is still here. Sign in again in another tab, then come back to this page.',
  lookAgain: 'Back to the form, with what I typed',
  signInElsewhere: 'Sign in (opens another tab)',
  sentBefore: 'This form was sent before',
  sentBeforeText:
    'It acts once, and has done so: nothing was done now. If it gave a secret, that was shown already: if you have not kept it, revoke what it belongs to and make another. To send something else, open the form again.',
  otherSite: 'This form was sent by another site. Nothing was done.',
}
