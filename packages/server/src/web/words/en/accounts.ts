/** The words of the account and grant pages. */
import { type Html, html } from '../../html.ts'

export const accounts = {
  title: 'Accounts',
  label: 'Accounts',
  make: 'Create account…',
  beginning: 'Username begins with',
  state: 'State',
  states: { any: 'all', enabled: 'enabled', disabled: 'disabled' },
  columns: {
    account: 'Account',
    email: 'E-mail address',
    roles: 'Roles',
    agents: 'Agents',
    newest: 'Latest login',
    state: 'State',
  },
  enabled: 'enabled',
  disabled: 'disabled',
  removed: 'removed',
  noEmail: 'no address',
  empty: 'No accounts yet.',
  emptyWhat:
    'An account belongs to a person, or to the owner of programs that log in here. Its tokens act for it in the store. With a role, it can also administer this service.',
  emptyStep: 'Create the first account…',
  emptyCommand: 'Or on the command line:',
  /** A role as a chip. */
  role: (role: string, brand: string | null): string => (brand === null ? role : `${role}: ${brand}`),
  cannotAct:
    'This account has a role with more permissions than yours. You can view the account, but not change it. An operator can.',

  page: {
    facts: 'Details',
    name: 'Name',
    email: 'E-mail address',
    id: 'ID',
    made: 'Created',
    disabledAt: 'Disabled',
    removedAt: 'Removed',
    loginsSince: 'Earlier logins revoked',
    password: 'Password',
    hasPassword: 'set',
    noPassword: 'none',
    passwordLogins: 'Tool logins by password',
    mayUsePassword: 'allowed',
    mayNotUsePassword: 'not allowed: only browsers use the password',
    secondFactor: 'Second factor',
    yes: 'yes',
    no: 'no',
    reminders: 'E-mail reminders',
    on: 'on',
    onWithoutMail: 'on, but this service cannot send mail',
    off: 'off',
    newest: 'Latest login',
    newestHint: 'by the owner, an agent or a CI job',
    edit: 'Edit account…',
    disable: 'Disable account…',
    enable: 'Enable account…',
    link: 'Create set-password link…',
    removal: html`To remove an account permanently, run <code>ratafia accounts remove</code> on the host.`,

    roles: 'Roles',
    noRoles: 'No roles yet. This account cannot administer the service.',
    allRoles: 'All roles of this account',
    addRole: 'Grant role…',
    rolesHidden: 'With access to all grants, you would also see when each role was granted, and by whom.',
    agents: 'Agents',
    noAgents: 'No agents yet. No program logs in as this account with a key of its own.',
    moreAgents: html`There are more. List them with <code>ratafia agents list --account</code>.`,
    agentColumns: { name: 'Agent', limits: 'Limits', made: 'Created', actions: 'Actions' },
    remove: 'Remove agent…',
    identities: 'External identities',
    noIdentities: 'No external identities yet. Link one on the host:',
    moreIdentities: 'There are more.',
    identityColumns: { issuer: 'Service', subject: 'Subject', linked: 'Linked' },
    tokens: 'Active tokens',
    noTokens: 'No active tokens.',
    allTokens: 'All tokens of this account',
    history: 'Recent activity',
    noHistory: 'No entries in the audit log.',
    historyAbout: 'All entries about this account',
    historyBy: 'All entries by this account',
    by: (actor: string): Html => html`by <code>${actor}</code>`,
    about: (subject: string): Html => html`about <code>${subject}</code>`,
  },

  newPage: {
    title: 'New account',
    what: "You don't set a password here. You get a link, shown once, that lets the owner choose a password within 24 hours.",
    username: 'Username',
    usernameHint: '2 to 28 characters: a-z, 0-9 and single dashes. Cannot be changed.',
    name: 'Name',
    nameHint: "The person's name, or what the account is for.",
    email: 'E-mail address',
    emailHint: 'Expiry reminders are sent there.',
    emailHintWithoutMail: 'Expiry reminders would be sent there.',
    role: 'Role',
    roleHint: 'Most accounts do not need a role: publishers do not have one.',
    noRole: 'no role',
    brand: 'Only for this brand',
    brandHint:
      'The id of the brand. Leave it empty for all brands. Roles for the whole service take no brand.',
    does: 'Create account',
  },

  editPage: {
    title: (username: string): string => `Edit account ${username}`,
    reminders: 'E-mail reminders before tokens and keys expire',
    isNow: (value: string): string => `Someone else has changed this. The current value is: ${value}`,
    on: 'on',
    off: 'off',
    does: 'Save changes',
    done: (username: string): string => `Account ${username} saved.`,
  },

  disablePage: {
    title: (username: string): string => `Disable ${username}?`,
    what: (username: string): Html =>
      html`<strong>${username}</strong> cannot log in any more, and its agents and tokens do not work, until you enable it again. Browsers that are signed in as this account are signed out. Nothing is deleted.`,
    does: 'Disable account',
    done: (username: string): string => `Account ${username} disabled.`,
  },

  enablePage: {
    title: (username: string): string => `Enable ${username}?`,
    what: (username: string): Html =>
      html`<strong>${username}</strong> can log in again. Its agents, and its tokens that were not revoked, work again. Browsers have to sign in again.`,
    does: 'Enable account',
    done: (username: string): string => `Account ${username} enabled.`,
  },

  refused: 'Change not possible now',

  linkPage: {
    title: (username: string): string => `Set-password link for ${username}`,
    what: (username: string): Html =>
      html`Anyone with the link can set the password of <strong>${username}</strong>: once, within 24 hours. It is shown to you once, and you hand it over yourself. Earlier links of the account stop working.`,
    roles:
      'If you grant the account a role later, the link stops working. Grant the role first, or after the owner has set the password.',
    does: 'Create link',
  },

  linkShown: {
    title: (username: string): string => `Set-password link for ${username}`,
    madeTitle: (username: string): string => `Account ${username} created`,
    once: html`<strong>Copy it now.</strong> You can see it only here, and for ten minutes if you reload. Give it to the owner of the account over a channel that only they can read. If it is lost, create another, and this one stops working.`,
    link: 'Set-password link',
    until: (at: string): string => `It works once, until ${at}.`,
    withoutLink: (username: string, reason: string): string =>
      `Account ${username} created, without a link: ${reason}`,
    done: 'Back to the account',
  },

  agentPage: {
    title: (agent: string): string => `Remove the agent ${agent}?`,
    what: (agent: string, username: string): Html =>
      html`The key of <strong>${agent}</strong> stops working, and so do logins of <strong>${username}</strong> that have not been used yet. Tokens that the agent already has stay valid until you revoke them. This cannot be undone: a new agent gets a new key.`,
    does: 'Remove agent',
    done: (agent: string): string => `Agent ${agent} removed.`,
  },
} as const

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
