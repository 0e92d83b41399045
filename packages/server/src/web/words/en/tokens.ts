/** The text of the pages about a user's own tokens. */
import { type Html, html } from '../../html.ts'
import { counted, number, time } from './common.ts'

export const tokens = {
  title: 'My tokens',
  label: 'Tokens',
  make: 'Create token…',
  none: 'No description',
  empty: 'No tokens yet.',
  emptyWhat:
    'A token lets a program act as you: a CI job that publishes a snap, or a tool on your computer. You choose its permissions and when it expires.',
  emptyStep: 'Create your first token…',
  emptyCommand: 'Or on the command line:',
  ending: (number: number): string =>
    number === 1
      ? 'One token expires within 30 days:'
      : `${counted(number, 'token expires', 'tokens expire')} within 30 days:`,
  endingAdvice: 'Rotate it: you create one like it, and the old one keeps working for as long as you choose.',
  explainLink: 'Explain token…',
  description: 'Description',
  state: 'State',
  kind: 'Kind',
  states: {
    active: 'active',
    ending: 'expiring within 30 days',
    revoked: 'revoked',
    expired: 'expired',
    all: 'all',
  },
  kinds: { any: 'all kinds', developer: 'for tools and stores', management: 'for administration' },
  columns: { token: 'Token', may: 'Permissions', ends: 'Expires', used: 'Last used', state: 'State' },
  active: 'active',
  revoked: 'revoked',
  expired: 'expired',
  made: 'created',
  from: 'from',
  administers: 'admin',
  onlyReads: 'read only',
  thisOne: 'this browser',
  rule: 'CI rule',
  jobs: {
    title: 'CI jobs',
    what: 'A CI rule gives each job a token of its own for a few minutes. You do not need to do anything.',
    active: (sessions: number, more: boolean): string =>
      `${more ? 'more than ' : ''}${counted(sessions, 'active session', 'active sessions')}`,
  },
  job: (rule: string): string => `Job of the CI rule ${rule}`,
  rotate: 'Rotate token…',
  shorten: 'Shorten expiry…',
  revoke: 'Revoke token…',
  revokeChosen: 'Revoke selected…',
  revokeAll: 'Revoke all tokens…',

  page: {
    limits: 'Limits',
    facts: 'Details',
    made: 'Created',
    ends: 'Expires',
    openedFrom: 'Opened from',
    signedIn: 'Signed in with',
    browser: 'browser',
    revoked: 'Revoked',
    revokedBy: (by: string): string => `by ${by}`,
    session: 'Session',
    kind: 'Kind',
    managementKind: 'This management token administers the service in your name.',
    developerKind: 'Developer token: for a store and its tools',
    roles: 'Roles',
    allRoles: 'all your roles',
    brands: 'Brands',
    allBrands: 'all brands',
  },

  shortenPage: {
    title: 'Shorten the expiry of this token?',
    what: (description: string, end: Html): Html =>
      html`“${description}” expires ${end}. Choose an earlier expiry that leaves you time to change to another token. You cannot extend it again.`,
    noEarlier: (description: string): string =>
      `“${description}” expires within a day anyway. To stop it now, revoke it.`,
    ends: 'Expires',
    does: 'Shorten',
    done: (end: Date): string => `Expiry shortened to ${time.instant(end)}.`,
  },

  revokePage: {
    title: 'Revoke this token?',
    what: (description: string): string =>
      `“${description}” and everything derived from it stop working within a second. This cannot be undone.`,
    thisBrowser: 'This browser uses it, so you will be signed out.',
    does: 'Revoke token',
    done: (description: string): string => `Token “${description}” revoked.`,
    manyTitle: (many: number): string => `Revoke ${counted(many, 'token', 'tokens')}?`,
    allTitle: 'Revoke all tokens?',
    manyWhat: 'They and everything derived from them stop working within a second. This cannot be undone.',
    manyDoes: 'Revoke tokens',
    allWhat:
      'This revokes all your tokens and signs you out of every browser, except this one if you keep it signed in. Unused logins are revoked as well.',
    allButThis: 'Keep this browser signed in',
    allDoes: 'Revoke all tokens',
    manyDone: (many: number): string => `${counted(many, 'token', 'tokens')} revoked.`,
    nothingChosen: 'Select at least one token first.',
    typed: (many: number): string => number(many),
    all: 'all',
  },

  newPage: {
    title: 'New token',
    beside: 'Lets a program act as you. Shown once.',
    forWhat: 'Purpose',
    templates: {
      publish: 'Publish one package',
      read: 'Read only',
      register: 'Register names',
      custom: 'Custom',
    },
    likeUnknown: 'The limits of the other token were not recorded. Choose them here.',
    description: 'Description',
    descriptionHint: 'Name the program and the machine, so that you recognise the token in a year.',
    may: 'Permissions',
    more: 'More permissions, which few programs need',
    allPermissions: 'Everything that my account can do, now and later',
    allPermissionsHint: 'Anyone who gets such a token can do everything that you can. Few programs need it.',
    packages: 'Packages',
    packagesHint: 'Names or snap ids, separated by commas or spaces.',
    allPackages: 'All my packages, including future ones',
    channels: 'Channels',
    channelsHint: html`<code>*</code> stands for anything: <code>*/edge</code> is the edge channel of every track.`,
    allChannels: 'All channels',
    stores: 'Stores (ids)',
    storesHint: 'Leave it empty for all your stores.',
    ends: 'Expires',
    inDays: (days: number, at: Date): string => `in ${counted(days, 'day', 'days')} (${time.day(at)})`,
    inHours: (hours: number): string => `in ${counted(hours, 'hour', 'hours')}`,
    inYear: (at: Date): string => `in a year (${time.day(at)})`,
    onDay: 'on this day:',
    day: 'Day',
    dayHint: 'Expires at 00:00 UTC on this day.',
    cap: (days: number): string => `Tokens last at most ${counted(days, 'day', 'days')} here.`,
    capInHours: (hours: number): string => `Tokens last at most ${counted(hours, 'hour', 'hours')} here.`,
    reminders: (email: string): string => `Reminders go to ${email} 30, 7 and 1 day before, and on the day.`,
    noReminders: 'You do not get an e-mail before it expires.',
    noAddress: 'Your account has no e-mail address.',
    remindersOff: html`You disabled reminders on the page <a href="/console/me">Sign-in and agents</a>.`,
    replaces: (description: string): string => `“${description}” expires`,
    overlaps: {
      '0': 'immediately',
      '1': 'in a day',
      '7': 'in 7 days',
      '30': 'in 30 days',
      keep: 'at its own expiry, unchanged',
    },
    inShort: 'Summary:',
    until: (at: Date): string => `until ${time.day(at)}.`,
    unlimited:
      'This token can do everything that your account can do, and so can anyone who gets it. If the program needs less, choose less.',
    look: 'Preview',
    does: 'Create token',
    signedIn: (ago: string): string =>
      `You signed in ${ago}. 15 minutes after signing in, you must sign in again before creating a token.`,
    problems: {
      description: 'Enter a description, so that you recognise the token.',
      permissions: 'Choose at least one permission, or “Everything”.',
      packages: 'Name at least one package, or choose all of yours.',
      channels: 'Name at least one channel, or choose all.',
      life: 'Choose when the token expires.',
      date: 'Enter a day after today, as YEAR-MONTH-DAY.',
    },
  },

  shownPage: {
    once: html`<strong>Copy it now.</strong> You can see it only here, and for ten minutes if you reload. Not even an operator can show it again. If you lose it, revoke it and create another.`,
    readBy: (tool: string, variable: string): Html => html`${tool}: set it as <code>${variable}</code>.`,
    curl: 'curl: account and permissions of the token',
    leftOut: 'Not possible here',
    shell: 'This sets all of them, and the addresses of this service.',
    replaced: (description: string, at: Date): string => `“${description}” expires ${time.instant(at)}.`,
    done: "I've saved it",
  },

  explainPage: {
    title: 'What can this token do?',
    what: 'Paste a token, a root macaroon with its discharge, or the form that a tool stores. It is checked as if it were used, and is neither stored nor logged.',
    token: 'Token',
    does: 'Explain token',
    problem: 'Paste a token first.',
    isAccepted: 'valid',
    isRefused: 'refused',
    kind: 'Kind',
    kinds: {
      'developer-token': 'a developer token',
      'developer-root': 'the root macaroon of a developer token',
      'management-token': 'a management token',
      'management-root': 'the root macaroon of a management token',
      'device-session': 'the session of a device',
      'agent-login': 'the login of an agent',
    } as Readonly<Record<string, string>>,
    unknown: 'not issued by this service',
    whose: 'Acts for',
    ends: 'Expires',
    session: 'Session',
    permissions: 'Management permissions',
    forBrands: (brands: string): string => `for ${brands}`,
  },
} as const

const SHORT: Readonly<Record<string, string>> = {
  edit_account: 'change the account',
  modify_account_key: 'change account keys',
  package_access: 'view',
  package_manage: 'manage',
  package_metrics: 'read metrics',
  package_purchase: 'buy',
  package_push: 'upload and release',
  package_register: 'register names',
  package_release: 'release',
  package_update: 'edit store pages',
  package_upload: 'upload',
  package_upload_request: 'ask to upload',
  store_admin: 'administer stores',
  store_review: 'review',
}

interface Sentence {
  readonly may: string
  /** The packages; null for all. */
  readonly packages: Html | null
  readonly channels: Html | null
  readonly stores: Html | null
}

export const limits = {
  may: 'Permissions',
  packages: 'Packages',
  channels: 'Channels',
  stores: 'Stores',
  everything: 'everything',
  everythingLong: 'everything that the account can do',
  allPackages: 'all packages of the account',
  allChannels: 'all',
  allStores: 'all stores of the account',
  doEverything: 'everything that your account can do',
  more: (number: number): string => `+${number}`,
  notRecorded: 'not recorded',
  notRecordedLong:
    'The limits were not recorded, because the list is too long. If you have the token, paste it into “What can this token do?”.',
  /** `view, upload`; a permission of another vocabulary stays unchanged. */
  shortPermission: (name: string): string => SHORT[name] ?? name,
  sentence: ({ may, packages, channels, stores }: Sentence): Html =>
    html`${may}${packages === null ? html`, for all your packages` : html`, for ${packages}`}${
      channels === null ? html`, in all channels` : html`, in ${channels}`
    }${stores !== null && html`, in the stores ${stores}`}`,
} as const
