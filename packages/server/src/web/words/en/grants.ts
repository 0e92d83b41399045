/** Words of the pages of grants: who may administer what. */
import { type Html, html } from '../../html.ts'

export const grants = {
  title: 'Grants',
  label: 'Grants',
  make: 'Give a role',
  account: 'Account',
  role: 'Role',
  brand: 'Brand',
  anyRole: 'all',
  columns: {
    account: 'Account',
    role: 'Role',
    brand: 'Brand',
    since: 'Since',
    ends: 'Ends',
    actions: 'Actions',
  },
  allBrands: 'all',
  by: (actor: string): string => `by ${actor}`,
  noEnd: 'no end',
  over: 'ended',
  remove: 'Remove…',
  own: 'yours: another operator can take it',
  empty: 'Nobody has a role yet.',
  emptyWhat: 'A grant gives an account a role, for one brand or for the whole service. Several add up.',
  emptyStep: 'Give the first role',
  emptyCommand: 'Or on the host:',
  meanings: 'What the roles mean',
  scopes: { brand: 'for a brand, or for all', service: 'for the whole service' },

  addPage: {
    title: 'Give a role',
    what: 'It takes effect when somebody signs in to the account again: sessions that are open get no more than they had. Browsers are signed out, and one-time links of the account stop working.',
    account: 'Account',
    accountHint: 'A username or an id.',
    brand: 'Only for this brand',
    brandHint: 'The id of the brand. Empty: for all brands. Roles for the whole service take none.',
    ends: 'Ends',
    endsHint: 'On this day at midnight UTC, when the day begins. Empty: it has no end.',
    agents: 'Agents that get the role too',
    agentsHint:
      'These agents were added before. Choose those that you know and that need the role. Agents that are added later have it.',
    lookAtAgents: (account: string): string =>
      `${account} has agents. Choose which of them get the role, or none, and give the role.`,
    noRole: 'Choose a role.',
    does: 'Give the role',
    done: (account: string, role: string): string => `${account} has the role ${role}.`,
  },

  removePage: {
    title: 'Take this role away?',
    what: (account: string, role: string, brand: string | null): Html =>
      html`<strong>${account}</strong> loses the role <strong>${role}</strong>${brand === null ? html` for the whole service` : html` for the brand <strong>${brand}</strong>`}, from its next request on, and within a second on every node. If it has a job at work, that stops. An operator can give the role again.`,
    since: (day: string, by: string): string => `It has had it since ${day}, from ${by}.`,
    refused: 'This role cannot be taken away now',
    does: 'Take it away',
    done: (account: string, role: string): string => `${account} does not have the role ${role} any more.`,
  },
} as const
