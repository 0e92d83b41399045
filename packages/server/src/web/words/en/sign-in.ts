/** The words of the pages around a sign-in to the console. */
import { type Html, html } from '../../html.ts'

/** The words for a form that is confirmed: a phrase that begins a sentence, and the name of its page. */
export interface Confirmed {
  readonly doing: string
  readonly page: string
  /** How recent the sign-in has to be. Default: 15. */
  readonly minutes?: number
}

/** The console forms that require a recent sign-in, always or for some records, by their path below `/console`. */
export const CONFIRMED = {
  '/tokens/new': { doing: 'Creating a token', page: 'New token' },
  '/tokens/revoke-all': { doing: 'Revoking all your tokens', page: 'Revoke all tokens' },
  '/me/browsers/end': { doing: 'Signing out your other browsers', page: 'Sign out all other browsers' },
  '/me/agents/new': { doing: 'Adding an agent', page: 'New agent' },
  '/publishers/new': { doing: 'Adding a CI rule', page: 'New CI rule', minutes: 5 },
  '/accounts/new': { doing: 'Creating an account', page: 'New account' },
  '/accounts/:id/edit': { doing: 'Editing an account with a role', page: 'Edit account' },
  '/accounts/:id/disable': { doing: 'Disabling an account with a role', page: 'Disable account' },
  '/accounts/:id/enable': { doing: 'Enabling an account with a role', page: 'Enable account' },
  '/accounts/:id/password-link': { doing: 'Creating a set-password link', page: 'Set-password link' },
  '/accounts/:id/agents/:name/remove': {
    ...{ doing: 'Removing an agent of an account with a role', page: 'Remove agent' },
  },
  '/all-tokens/revoke': { doing: 'Revoking many tokens', page: 'Revoke tokens' },
  '/grants/new': { doing: 'Granting a role', page: 'New grant' },
  '/grants/:id/remove': { doing: 'Removing a role', page: 'Remove this role' },
  '/models/:brand/:model/allow-list/remove-all': {
    ...{ doing: 'Removing all entries of an allow-list', page: 'Remove all entries' },
  },
  '/signing-keys/:id/disable-anyway': {
    ...{ doing: 'Disabling the last signing key of a brand', page: 'Disable signing key' },
  },
  '/devices/bulk': { doing: 'Revoking many devices', page: 'Revoke devices' },
} as const satisfies Readonly<Record<string, Confirmed>>

export const signIn = {
  signIn: 'Sign in',
  signInAgain: 'Sign in again',
  toConsole: 'Go to the console',
  start: 'Go to the start page',
  goOn: 'Continue',

  notHere: {
    title: 'Sign-in not started here',
    text: 'It began in another browser, took longer than half an hour, or your browser does not send cookies. Nothing was changed. If someone sent you this link, do not use it.',
  },
  refused: {
    title: 'Sign-in refused',
    byPerson: 'The sign-in was rejected at the identity service.',
  },
  away: {
    title: 'Sign-in temporarily unavailable',
    away: 'The identity service does not answer. Nothing was lost. Try again in a moment.',
    strange:
      'This service does not understand the answer of the identity service. Nothing was lost. Try again, and inform the operator if the problem persists.',
    noRedirect: (command: Html): Html =>
      html`The identity service offers no login that browsers can use here (“browser-redirect”). Nothing was lost. Log in on the command line instead: ${command}.`,
    tryAgain: 'Try again',
  },
  notRecent: {
    title: 'More recent sign-in required',
    unknown:
      'The identity service does not report when you signed in, so the console cannot do this. You can still view everything that your roles allow. It works on the command line, and with a Ratafia as the identity service.',
    old: "Your last sign-in is too old, and the identity service didn't ask you to sign in again. Sign out there, then sign in.",
    notSent: 'What you entered was not sent.',
  },
  tooManyGrants: {
    title: 'Too many roles for a browser',
    text: 'A browser keeps cookies of up to 4 KB, and the token with all your grants is longer. Ask an operator to grant you a role for all brands instead of many single ones, or use the command line, where you can choose some of them.',
  },
  /** The words of the page before a form that requires a recent sign-in. */
  confirm: {
    title: 'Confirm that it’s you',
    reason: ({ doing, minutes = 15 }: Confirmed): string =>
      `${doing} requires that you signed in within the last ${minutes} minutes.`,
    /** `page`: its heading. */
    next: (page: Html): Html => html`After this you continue with ${page}.`,
    other: 'This action requires that you signed in a short while ago.',
    nextOther: 'After this you continue there.',
    continue: 'Confirm and continue',
    signedInAs: (username: Html): Html =>
      html`You are signed in as ${username}, but that sign-in is too old.`,
  },
  again: {
    nothingDone: 'Nothing has been done yet.',
    kept: 'What you entered is kept for half an hour. You see it again before it is sent.',
    signedIn: 'A form is kept only for users who are signed in.',
    notKept: 'What you entered is too large to keep. Sign in first, then enter it again.',
  },
  goOnForm: {
    title: 'Continue with what you entered?',
    text: (page: Html): Html => html`This is what you entered at ${page}. None of it has been sent yet.`,
    field: 'Field',
    value: 'Value',
    secrets: 'Passwords and codes are not kept. If the form had any, you are asked for them again.',
    more: (count: number): string => `and ${count} more`,
  },
  gone: {
    title: 'Nothing to continue',
    text: 'What you entered was already shown, is older than half an hour, or belongs to another account. Nothing was sent.',
  },
  signedOut: {
    title: 'Signed out',
    everywhere: 'You are signed out of the console, and of the identity service in this browser.',
    here: (identity: Html): Html =>
      html`You are signed out of the console. This browser may still be signed in at the identity service, ${identity}: if others use it, sign out there as well.`,
    again: 'Sign in again',
  },
  outOfDate: {
    title: 'Form out of date',
    text: 'This form belongs to an earlier sign-in, or another site sent it. Nothing was changed. Go back to the console, and try again.',
  },
}
