/** Words of the pages of accounts. */
import { type Html, html } from '../../html.ts'

export const accounts = {
  title: 'Accounts',
  label: 'Accounts',
  make: 'New account',
  beginning: 'Username begins with',
  state: 'State',
  states: { any: 'all', enabled: 'enabled', disabled: 'disabled' },
  columns: {
    account: 'Account',
    email: 'E-mail',
    roles: 'Roles',
    agents: 'Agents',
    newest: 'Newest login',
    state: 'State',
  },
  enabled: 'enabled',
  disabled: 'disabled',
  removed: 'removed',
  noEmail: 'no address',
  empty: 'There are no accounts yet.',
  emptyWhat:
    'An account is a person, or the owner of programs, who can log in here. Its tokens act for it in the store; with a role it also administers this service.',
  emptyStep: 'Make the first account',
  emptyCommand: 'Or on the command line:',
  /** A role as a chip. */
  role: (role: string, brand: string | null): string => (brand === null ? role : `${role}: ${brand}`),
  cannotAct:
    'This account has a role that allows more than yours do: you can look at it, but not change it. An operator can.',

  page: {
    facts: 'Facts',
    name: 'Name',
    email: 'E-mail',
    id: 'Id',
    made: 'Made',
    disabledAt: 'Disabled',
    removedAt: 'Removed',
    loginsSince: 'Earlier logins ended',
    password: 'Password',
    hasPassword: 'set',
    noPassword: 'none',
    passwordLogins: 'Programs with the password',
    mayUsePassword: 'may log in',
    mayNotUsePassword: 'may not log in: only browsers',
    secondFactor: 'Second factor',
    yes: 'yes',
    no: 'no',
    reminders: 'Reminders by mail',
    on: 'on',
    onWithoutMail: 'on, but this service sends no mail',
    off: 'off',
    newest: 'Newest login',
    newestHint: 'by the owner, an agent or a CI job',
    edit: 'Edit',
    disable: 'Disable…',
    enable: 'Enable…',
    link: 'Link to a new password…',
    removal: html`Accounts are removed for good on the host: <code>ratafia accounts remove</code>.`,

    roles: 'Roles',
    noRoles: 'It has no role: it administers nothing.',
    allRoles: 'All its roles',
    addRole: 'Give it a role',
    rolesHidden: 'Whoever sees all grants also sees since when, and who gave them.',
    agents: 'Agents',
    noAgents: 'It has no agents: no program logs in as it with a key of its own.',
    moreAgents: html`There are more: <code>ratafia agents list --account</code>.`,
    agentColumns: { name: 'Agent', limits: 'Limited to', made: 'Made', actions: 'Actions' },
    remove: 'Remove…',
    identities: 'Identities elsewhere',
    noIdentities: 'No other identity service knows it. The host links one:',
    moreIdentities: 'There are more.',
    identityColumns: { issuer: 'Service', subject: 'Known there as', linked: 'Linked' },
    tokens: 'Tokens that are active',
    noTokens: 'It has no active token.',
    allTokens: 'All its tokens',
    history: 'What happened last',
    noHistory: 'The audit log has nothing about it.',
    historyAbout: 'Everything about it',
    historyBy: 'Everything that it did',
    by: (actor: string): Html => html`by <code>${actor}</code>`,
    about: (subject: string): Html => html`about <code>${subject}</code>`,
  },

  newPage: {
    title: 'New account',
    what: 'It gets no password here. You get a link, once, through which its owner chooses one within 24 hours.',
    username: 'Username',
    usernameHint: '2 to 28 of a-z, 0-9 and single dashes. It is never changed.',
    name: 'Name',
    nameHint: 'As people call them, or what it is for.',
    email: 'E-mail',
    emailHint: 'Reminders of what ends soon go there.',
    emailHintWithoutMail: 'Reminders of what ends soon would go there.',
    role: 'Role',
    roleHint: 'Most accounts need none: publishers have no role here.',
    noRole: 'no role',
    brand: 'Only for this brand',
    brandHint: 'The id of the brand; empty for all. The roles of the service are for all.',
    does: 'Make the account',
  },

  editPage: {
    title: (username: string): string => `Edit ${username}`,
    reminders: 'Reminders by mail of what ends soon',
    isNow: (value: string): string => `Somebody has changed it. It is now: ${value}`,
    on: 'on',
    off: 'off',
    does: 'Save',
    done: (username: string): string => `${username} is saved.`,
  },

  disablePage: {
    title: (username: string): string => `Disable ${username}?`,
    what: (username: string): Html =>
      html`<strong>${username}</strong> cannot log in any more, and its agents and tokens do not work, until it is enabled again. Browsers that are signed in as it are signed out. Nothing is lost.`,
    does: 'Disable it',
    done: (username: string): string => `${username} is disabled.`,
  },

  enablePage: {
    title: (username: string): string => `Enable ${username}?`,
    what: (username: string): Html =>
      html`<strong>${username}</strong> can log in again. Its tokens that were not revoked and its agents work again; browsers have to sign in again.`,
    does: 'Enable it',
    done: (username: string): string => `${username} is enabled.`,
  },

  refused: 'This is not possible now',

  linkPage: {
    title: (username: string): string => `A link to a new password for ${username}`,
    what: (username: string): Html =>
      html`Whoever opens it sets the password of <strong>${username}</strong>: once, within 24 hours. You see it once, and hand it over yourself. Earlier links of the account stop working.`,
    roles:
      'Giving the account a role later ends the link. Give the role first, or once its owner has set the password.',
    does: 'Make the link',
  },

  linkShown: {
    title: (username: string): string => `The link for ${username}`,
    madeTitle: (username: string): string => `${username} is made`,
    once: html`<strong>Copy it now: this page shows it once.</strong> Hand it to the owner of the account over a channel that only they read. If it is lost, make another: that ends this one.`,
    link: 'Link to a new password',
    until: (at: string): string => `It works once, until ${at}.`,
    withoutLink: (username: string, reason: string): string =>
      `${username} is made, without a link: ${reason}`,
    done: 'To the account',
  },

  agentPage: {
    title: (agent: string): string => `Remove the agent ${agent}?`,
    what: (agent: string, username: string): Html =>
      html`The key of <strong>${agent}</strong> stops working, and so do logins of <strong>${username}</strong> that have not been used yet. The tokens that the agent has stay valid until they are revoked. This cannot be undone: a new agent gets a new key.`,
    does: 'Remove it',
    done: (agent: string): string => `The agent ${agent} is removed.`,
  },
} as const
