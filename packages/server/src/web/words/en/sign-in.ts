/** Words of the pages around a sign-in to the console. */
import { type Html, html } from '../../html.ts'

export const signIn = {
  signIn: 'Sign in',
  signInAgain: 'Sign in again',
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
  again: {
    title: 'Sign in again',
    text: 'You signed in too long ago for this: sign in again, and go on. Nothing has been done yet.',
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
