/** Words of the pages around a sign-in to the console. */
import { type Html, html } from '../../html.ts'

/** What a form is confirmed for: a phrase that begins a sentence, and the heading of its page. */
export interface Confirmed {
  readonly doing: string
  readonly page: string
  /** How recent the sign-in has to be. Default: 15. */
  readonly minutes?: number
}

/** The forms of the console that require a recent sign-in, always or for some records, by their path below `/console`. */
export const CONFIRMED = {
  '/tokens/new': { doing: 'Creating a token', page: 'New token' },
  '/tokens/revoke-all': { doing: 'Revoking all your tokens', page: 'Revoke all tokens' },
  '/me/browsers/end': { doing: 'Signing out your other browsers', page: 'Sign out all other browsers' },
  '/me/agents/new': { doing: 'Adding an agent', page: 'Add an agent' },
  '/publishers/new': { doing: 'Adding a rule for CI jobs', page: 'New rule', minutes: 5 },
  '/accounts/new': { doing: 'Creating an account', page: 'New account' },
  '/accounts/:id/edit': { doing: 'Editing an account with a role', page: 'Edit account' },
  '/accounts/:id/disable': { doing: 'Disabling an account with a role', page: 'Disable account' },
  '/accounts/:id/enable': { doing: 'Enabling an account with a role', page: 'Enable account' },
  '/accounts/:id/password-link': { doing: 'Creating a password link', page: 'A link to a new password' },
  '/accounts/:id/agents/:name/remove': {
    ...{ doing: 'Removing an agent of an account with a role', page: 'Remove agent' },
  },
  '/all-tokens/revoke': { doing: 'Revoking many tokens', page: 'Revoke tokens' },
  '/grants/new': { doing: 'Giving a role', page: 'Give a role' },
  '/grants/:id/remove': { doing: 'Taking a role away', page: 'Take this role away' },
  '/models/:brand/:model/allow-list/remove-all': {
    ...{ doing: 'Removing a whole allow-list', page: 'Remove all entries' },
  },
  '/signing-keys/:id/disable-anyway': {
    ...{ doing: 'Disabling the last signing key of a brand', page: 'Disable signing key' },
  },
  '/devices/bulk': { doing: 'Revoking many devices', page: 'Revoke devices' },
} as const satisfies Readonly<Record<string, Confirmed>>

export const signIn = {
  signIn: 'Sign in',
  signInAgain: 'Sign in again',
  toConsole: 'To the console',
  start: 'To the start page',
  goOn: 'Go on',

  notHere: {
    title: 'This sign-in did not begin here',
    text: 'It began in another browser, took longer than half an hour, or your browser does not send cookies. Nothing was done. If somebody sent you this link, do not use it.',
  },
  refused: {
    title: 'You are not signed in',
    byPerson: 'The sign-in was refused at the identity service.',
  },
  away: {
    title: 'Nobody can sign in at the moment',
    away: 'The identity service does not answer. Nothing was lost: try again in a moment.',
    strange:
      'The identity service answers in a way that this service does not understand. Nothing was lost: try again, and tell the operator if it stays like this.',
    noRedirect: (command: Html): Html =>
      html`The identity service offers no login that browsers can use here (“browser-redirect”). Nothing was lost. Log in at the command line instead: ${command}.`,
    tryAgain: 'Try again',
  },
  notRecent: {
    title: 'This needs a more recent sign-in',
    unknown:
      'The identity service does not say when you signed in, so this cannot be done in the console. You can look at everything that your roles allow. At the command line, or with a Ratafia as the identity service, it works.',
    old: 'The identity service says that you signed in longer ago. It was asked for a new sign-in and did not ask you. Sign out there, then sign in again.',
    notSent: 'What you entered was not sent.',
  },
  tooManyGrants: {
    title: 'Your account has too many roles for a browser',
    text: 'A browser keeps cookies of 4 KB, and the token with all your grants is longer. Ask an operator to grant a role for all brands instead of many single ones, or use the command line, where you can name some of them.',
  },
  /** Before what requires a sign-in of a short while ago. */
  confirm: {
    title: 'Confirm that it’s you',
    reason: ({ doing, minutes = 15 }: Confirmed): string =>
      `${doing} requires that you signed in within the last ${minutes} minutes.`,
    /** `page`: its heading. */
    next: (page: Html): Html => html`After this you continue with ${page}.`,
    other: 'What you were about to do requires that you signed in a short while ago.',
    nextOther: 'After this you continue there.',
    continue: 'Confirm and continue',
    signedInAs: (username: Html): Html =>
      html`You are signed in as ${username}, and signed in longer ago than that.`,
  },
  again: {
    nothingDone: 'Nothing has been done yet.',
    kept: 'What you entered is kept for half an hour. You see it again before it is sent.',
    signedIn: 'A form is kept only for somebody who is signed in.',
    notKept: 'What you entered is too large to be kept. Sign in first, then enter it again.',
  },
  goOnForm: {
    title: 'You signed in again. Go on?',
    text: (page: Html): Html => html`This is what you entered at ${page}. None of it has been sent yet.`,
    field: 'Field',
    value: 'Value',
    secrets: 'Passwords and codes are not kept. If the form had any, you are asked for them again.',
    more: (count: number): string => `and ${count} more`,
  },
  gone: {
    title: 'There is nothing to continue with',
    text: 'What was kept has been shown before, is older than half an hour, or belongs to another account. Nothing was sent.',
  },
  signedOut: {
    title: 'You are signed out',
    everywhere:
      'Your console session has ended, and so has your sign-in at the identity service in this browser.',
    here: (identity: Html): Html =>
      html`Your console session has ended. At the identity service, ${identity}, this browser may still be signed in: if others use it, sign out there too.`,
    again: 'Sign in again',
  },
  outOfDate: {
    title: 'Nothing was done',
    text: 'This form was made for an earlier sign-in, or was sent by another site. Go back to the console, and try again.',
  },
}
