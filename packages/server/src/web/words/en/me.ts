/** The words of the pages of a user's own account. */
import { counted } from './common.ts'

export const me = {
  title: 'Sign-in and agents',
  account: 'My account',
  username: 'Username',
  name: 'Name',
  email: 'E-mail address',
  noEmail: 'none: you get no reminders',
  roles: 'Roles',
  noRoles: 'none: you manage your own tokens and agents here',
  allBrands: 'all brands',
  forBrand: (brand: string): string => `for ${brand}`,
  signedIn: 'Signed in',
  noSuchAgent: 'You have no agent with this name.',
  noSuchBrowser: 'You have no browser session with this id.',

  login: {
    title: 'Password and second factor',
    what: 'The identity service of this installation keeps your password and your second factor.',
    password: 'Change password…',
    factor: 'Manage second factor and recovery codes…',
    elsewhere: 'Another identity service keeps your password:',
  },

  reminders: {
    title: 'Reminders',
    on: 'You get mail 30, 7 and 1 day before one of your tokens expires, and on the day. If you manage a brand, you also get it for its signing keys and API keys.',
    off: 'You get no expiry reminders.',
    onWithoutMail: 'You get no expiry reminders, although you have not switched them off.',
    switchOff: 'Switch off reminders',
    switchOn: 'Switch on reminders',
    isOff: 'Reminders switched off.',
    isOn: 'Reminders switched on.',
  },

  browsers: {
    title: 'Active sessions',
    label: 'Active sessions',
    columns: { browser: 'Browser', kind: 'Service', since: 'Since', address: 'Address', action: 'Action' },
    kinds: { 'sign-in': 'identity service', management: 'administration' } as Readonly<
      Record<string, string>
    >,
    unknown: 'not recorded',
    current: 'this one',
    end: 'Sign out browser…',
    endOthers: 'Sign out all other browsers…',
    endTitle: 'Sign out this browser?',
    endWhat: 'Its user has to sign in again.',
    endCurrent: 'It is the one that you are using now, so you have to sign in again.',
    endDo: 'Sign out browser',
    ended: 'Browser signed out.',
    othersTitle: 'Sign out all other browsers?',
    othersWhat:
      'This one stays signed in. Tokens stay valid: revoke those that you do not recognize on the page “Tokens”.',
    othersDo: 'Sign out browsers',
    othersEnded: (many: number): string => `${counted(many, 'browser', 'browsers')} signed out.`,
  },

  agents: {
    title: 'Agents',
    label: 'Agents',
    what: 'An agent logs in as you with a key instead of a browser. Use it for machines.',
    none: 'No agents yet.',
    command: 'On the command line:',
    add: 'Add agent…',
    columns: { name: 'Name', may: 'Limits', made: 'Added', action: 'Action' },
    life: (hours: number): string => `for at most ${counted(hours, 'hour', 'hours')}`,
    remove: 'Remove agent…',
    removeTitle: (name: string): string => `Remove the agent ${name}?`,
    removeWhat:
      'Its key stops working. Tokens that it already has stay valid: revoke those as well if you do not trust it.',
    removed: (name: string): string => `Agent ${name} removed.`,
    removeDo: 'Remove agent',

    newTitle: 'New agent',
    newWhat:
      'The service generates its key and shows it once, as the file that bakery clients in Go, Python and JavaScript read.',
    name: 'Name',
    nameHint: 'Letters, digits, dots, dashes and underscores.',
    limits: 'These limits apply to each of its logins. Leave a field empty for no limit.',
    permissions: 'Permissions',
    channels: 'Channels',
    packages: 'Packages',
    stores: 'Stores (ids)',
    itemsHint: 'Separated by commas or spaces.',
    hours: 'Maximum login lifetime (hours)',
    hoursHint: 'Leave it empty for the lifetime that the login asks for.',
    hoursProblem: 'Enter whole hours from 1 to 8,760, or leave it empty.',
    addDo: 'Add agent',
    shownTitle: (name: string): string => `The agent ${name}`,
    shown:
      'Copy it now: this page shows the key once. It cannot be shown again. If you lose it, remove the agent and add another.',
    file: 'Agent file',
    fileNote: 'Save it with mode 0600, and name it in BAKERY_AGENT_FILE or RATAFIA_AGENT_FILE.',
    done: "I've saved it",
  },
} as const
