/** Words of the pages of the tokens of all accounts. */
import { type Html, html } from '../../html.ts'
import { counted, number } from './common.ts'

export const allTokens = {
  title: 'All tokens',
  label: 'Tokens of all accounts',
  description: 'Description',
  account: 'Account',
  state: 'State',
  kind: 'Kind',
  endsBefore: 'Ends before (midnight UTC)',
  unusedSince: 'Not used since (midnight UTC)',
  columns: {
    token: 'Token',
    account: 'Account',
    may: 'May',
    ends: 'Ends',
    used: 'Last used',
    actions: 'Actions',
  },
  made: (day: string, administers: boolean): string =>
    administers ? `sign-in of ${day}, to administer` : `made ${day}`,
  revoke: 'Revoke…',
  revokeChosen: 'Revoke the chosen…',
  empty: 'No account has an active token.',
  emptyWhat:
    'Here are the tokens of all accounts: of publishers and their tools, of CI jobs, and of whoever administers this service. Each appears once somebody has logged in.',
  emptyStep: 'Show those that have ended or are revoked, too',
  emptyCommand: 'Or on the command line:',

  page: {
    limits: 'What it may do',
    facts: 'Facts',
    account: 'Account',
    kind: 'Kind',
    made: 'Made',
    ends: 'Ends',
    revoked: 'Revoked',
    revokedBy: (by: string): string => `by ${by}`,
    signedIn: 'Signed in as',
    openedFrom: 'Opened from',
    rule: 'CI rule',
    issuer: 'Issuer',
    job: 'What the job says of itself',
    session: 'Session',
    managementKind: 'management token: it administers this service',
    developerKind: 'developer token: for a store and its tools',
    roles: 'Roles',
    allRoles: 'all that the account has',
    brands: 'Brands',
    allBrands: 'all of them',
    notRecorded: 'What it was limited to was not recorded.',
    history: 'Entries in the audit log',
  },

  revokePage: {
    title: 'Revoke this token?',
    what: (name: string, username: string): Html =>
      html`“${name}” of <strong>${username}</strong> and everything made from it stop working within a second, on every node. This cannot be undone: ${username} makes another.`,
    already: 'This token is revoked already.',
    does: 'Revoke it',
    done: (name: string, username: string): string => `“${name}” of ${username} is revoked.`,
    manyTitle: (many: number): string => `Revoke ${counted(many, 'token', 'tokens')}?`,
    nothing: 'Choose at least one token',
    nothingWhat: 'No token was chosen. Go back to the list, choose some, and try again.',
    back: 'To the list',
    nothingYet: 'Nothing is done yet. This is what would happen:',
    would: ({ done, unchanged, refused }: { done: number; unchanged: number; refused: number }): string =>
      [
        `${counted(done, 'token would be', 'tokens would be')} revoked.`,
        unchanged > 0 ? `${counted(unchanged, 'is', 'are')} revoked already.` : '',
        refused > 0 ? `${counted(refused, 'would be', 'would be')} refused.` : '',
      ]
        .filter((sentence) => sentence !== '')
        .join(' '),
    manyWhat:
      'They and everything made from them stop working within a second. This cannot be undone. A job does it; you see how far it is.',
    first: (many: number, shown: number): string =>
      many > shown ? `The first ${number(shown)} of ${number(many)}` : 'These',
    refused: 'Refused',
    typed: (many: number): string => String(many),
    job: 'The job is made. Tokens are revoked one after the other.',
  },
} as const
