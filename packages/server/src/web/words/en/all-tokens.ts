/** The text of the pages about the tokens of all accounts. */
import { type Html, html } from '../../html.ts'
import { counted, number } from './common.ts'

export const allTokens = {
  title: 'All tokens',
  label: 'Tokens of all accounts',
  description: 'Description',
  account: 'Account',
  state: 'State',
  kind: 'Kind',
  endsBefore: 'Expires before (midnight UTC)',
  unusedSince: 'Not used since (midnight UTC)',
  columns: {
    token: 'Token',
    account: 'Account',
    may: 'Permissions',
    ends: 'Expires',
    used: 'Last used',
    actions: 'Actions',
  },
  made: (day: string, administers: boolean): string =>
    administers ? `sign-in of ${day}, admin` : `created ${day}`,
  revoke: 'Revoke token…',
  revokeChosen: 'Revoke selected…',
  empty: 'No active tokens yet.',
  emptyWhat:
    'This page lists the tokens of all accounts: those of publishers and their tools, of CI jobs, and of the people who administer this service. A token appears when its owner has logged in.',
  emptyStep: 'Show expired and revoked tokens',
  emptyCommand: 'Or on the command line:',

  page: {
    limits: 'Limits',
    facts: 'Details',
    account: 'Account',
    kind: 'Kind',
    made: 'Created',
    ends: 'Expires',
    revoked: 'Revoked',
    revokedBy: (by: string): string => `by ${by}`,
    signedIn: 'Signed in with',
    openedFrom: 'Opened from',
    rule: 'CI rule',
    issuer: 'Issuer',
    job: 'Claims of the job',
    session: 'Session',
    managementKind: 'management token: administers this service',
    developerKind: 'developer token: for a store and its tools',
    roles: 'Roles',
    allRoles: 'all roles of the account',
    brands: 'Brands',
    allBrands: 'all brands',
    notRecorded: 'The limits were not recorded.',
    history: 'Entries in the audit log',
  },

  revokePage: {
    title: 'Revoke this token?',
    what: (name: string, username: string): Html =>
      html`“${name}” of <strong>${username}</strong> and everything derived from it stop working within a second, on every node. This cannot be undone: ${username} has to create another.`,
    already: 'This token is revoked already.',
    does: 'Revoke token',
    done: (name: string, username: string): string => `Token “${name}” of ${username} revoked.`,
    manyTitle: (many: number): string => `Revoke ${counted(many, 'token', 'tokens')}?`,
    nothing: 'No tokens selected',
    nothingWhat: 'You did not select any tokens. Go back to the list, select some, and try again.',
    back: 'Back to the list',
    nothingYet: 'Nothing has been changed yet.',
    would: ({ done, unchanged, refused }: { done: number; unchanged: number; refused: number }): string =>
      [
        `${counted(done, 'token would be', 'tokens would be')} revoked.`,
        unchanged > 0 ? `${counted(unchanged, 'is', 'are')} revoked already.` : '',
        refused > 0 ? `${counted(refused, 'would be', 'would be')} refused.` : '',
      ]
        .filter((sentence) => sentence !== '')
        .join(' '),
    manyWhat:
      'They and everything derived from them stop working within a second. This cannot be undone. A job does the work, and you can follow its progress.',
    manyDoes: 'Revoke tokens',
    first: (many: number, shown: number): string =>
      many > shown ? `The first ${number(shown)} of ${number(many)}` : 'Selected tokens',
    refused: 'Refused',
    typed: (many: number): string => String(many),
    job: 'Job created. It revokes the tokens one after the other.',
  },
} as const
