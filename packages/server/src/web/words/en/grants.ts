/** The text of the grant pages: which account has which role. */
import { type Html, html } from '../../html.ts'

export const grants = {
  title: 'Grants',
  label: 'Grants',
  make: 'Grant role…',
  account: 'Account',
  role: 'Role',
  brand: 'Brand',
  anyRole: 'all',
  columns: {
    account: 'Account',
    role: 'Role',
    brand: 'Brand',
    since: 'Granted',
    ends: 'Expires',
    actions: 'Actions',
  },
  allBrands: 'all',
  by: (actor: string): string => `by ${actor}`,
  noEnd: 'never',
  over: 'expired',
  remove: 'Remove role…',
  own: 'Your own role; only another operator can remove it',
  empty: 'No grants yet.',
  emptyWhat:
    'A grant gives an account a role, for one brand or for the whole service. An account can have several.',
  emptyStep: 'Grant the first role…',
  emptyCommand: 'Or on the host:',
  meanings: 'Roles',
  scopes: { brand: '(one brand or all)', service: '(whole service)' },

  addPage: {
    title: 'New grant',
    what: 'The account gets the role when it next signs in. Its browsers are signed out of the identity service now, and its one-time links stop working; its other sessions keep their current permissions.',
    account: 'Account',
    accountHint: 'A username or an account id.',
    brand: 'Only for this brand',
    brandHint:
      'The id of the brand. Leave it empty for all brands. Roles for the whole service take no brand.',
    ends: 'Expires',
    endsHint: 'Expires at 00:00 UTC on this day. Leave it empty for a grant without expiry.',
    agents: 'Agents that also get the role',
    agentsHint:
      'These agents exist already. Select those that you know and that need the role. Agents that are added later have it.',
    lookAtAgents: (account: string): string =>
      `${account} has agents. Select those that also get the role, if any, then grant it.`,
    noRole: 'Choose a role.',
    does: 'Grant role',
    done: (account: string, role: string): string => `Role ${role} granted to ${account}.`,
  },

  removePage: {
    title: 'Remove this role?',
    what: (account: string, role: string, brand: string | null): Html =>
      html`<strong>${account}</strong> loses the role <strong>${role}</strong>${brand === null ? html` for the whole service` : html` for the brand <strong>${brand}</strong>`} from its next request, and within a second on every node. A job that the account is running stops. An operator can grant the role again.`,
    since: (day: string, by: string): string => `Granted on ${day} by ${by}.`,
    refused: 'Removal not possible now',
    does: 'Remove role',
    done: (account: string, role: string): string => `Role ${role} removed from ${account}.`,
  },
} as const
