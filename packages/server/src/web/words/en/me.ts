/** Words of the page of one's own account. */
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
  noSuchBrowser: 'No browser with this id is signed in as you.',

  login: {
    title: 'Password and second factor',
    what: 'Your password and your second factor are kept by the identity service of this installation.',
    password: 'Change the password',
    factor: 'Second factor and recovery codes',
    elsewhere: 'Your password is kept by another identity service:',
  },

  reminders: {
    title: 'Reminders',
    on: 'You get mail 30, 7 and 1 day before one of your tokens ends, and on the day. If you manage a brand, also for its signing keys and API keys.',
    off: 'You get no reminders of what ends.',
    onWithoutMail: 'You get no reminders of what ends, although you have not switched them off.',
    switchOff: 'Switch reminders off',
    switchOn: 'Switch reminders on',
    isOff: 'Reminders are off.',
    isOn: 'Reminders are on.',
  },

  browsers: {
    title: 'Browsers that are signed in',
    label: 'Browsers',
    columns: { browser: 'Browser', kind: 'Where', since: 'Since', address: 'Address', action: 'Action' },
    kinds: { 'sign-in': 'identity service', management: 'administration' } as Readonly<
      Record<string, string>
    >,
    unknown: 'not recorded',
    current: 'this one',
    end: 'Sign out…',
    endOthers: 'Sign out all others…',
    endTitle: 'Sign this browser out?',
    endWhat: 'Whoever uses it has to sign in again.',
    endCurrent: 'It is the one you are using now: you sign in again afterwards.',
    endDo: 'Sign it out',
    ended: 'The browser is signed out.',
    othersTitle: 'Sign out all other browsers?',
    othersWhat:
      'This one stays signed in. Tokens stay valid: on the page “Tokens”, revoke those that you do not recognize.',
    othersDo: 'Sign them out',
    othersEnded: (many: number): string => `${counted(many, 'browser is', 'browsers are')} signed out.`,
  },

  agents: {
    title: 'Agents',
    label: 'Agents',
    what: 'An agent logs in as you with a key, without a browser: for machines.',
    none: 'You have no agents.',
    command: 'On the command line:',
    add: 'Add an agent',
    columns: { name: 'Name', may: 'Its logins may', made: 'Added', action: 'Action' },
    life: (hours: number): string => `for at most ${counted(hours, 'hour', 'hours')}`,
    remove: 'Remove…',
    removeTitle: (name: string): string => `Remove the agent ${name}?`,
    removeWhat:
      'Its key no longer works. Tokens that it has got stay valid: revoke those too if you do not trust it.',
    removed: (name: string): string => `The agent ${name} is removed.`,
    removeDo: 'Remove it',

    newTitle: 'Add an agent',
    newWhat:
      'Its key is made here and shown once, as the file that bakery clients in Go, Python and JavaScript read.',
    name: 'Name',
    nameHint: 'Letters, digits, dots, dashes and underscores.',
    limits: 'What each of its logins is limited to. Leave a field empty for no limit.',
    permissions: 'Permissions',
    channels: 'Channels',
    packages: 'Packages',
    stores: 'Stores (ids)',
    itemsHint: 'Separated by commas or spaces.',
    hours: 'Longest login, in hours',
    hoursHint: 'Empty: as long as the login asks for.',
    hoursProblem: 'Give whole hours from 1 to 8,760, or leave it empty.',
    addDo: 'Add the agent',
    shownTitle: (name: string): string => `The agent ${name}`,
    shown:
      'Copy it now: this page shows the key once. Nobody can show it again. If you lose it, remove the agent and add another.',
    file: 'The agents file',
    fileNote: 'Save it with mode 0600, and name it in BAKERY_AGENT_FILE or RATAFIA_AGENT_FILE.',
    done: 'I have kept it',
  },
} as const
