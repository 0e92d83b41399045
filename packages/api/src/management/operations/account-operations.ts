/** Accounts in the management API. */
import { EmptyObjectSchema } from '../../tokens.ts'
import { type ManagementOperation, SIGNED_IN } from '../operation.ts'
import { MANAGEMENT_ROUTES } from '../routes.ts'
import {
  AccountRecordSchema,
  AccountSummariesQuerySchema,
  AccountSummariesSchema,
  AccountsQuerySchema,
  AccountsSchema,
  AgentSchema,
  AgentsSchema,
  EditAccountSchema,
  IdentitiesSchema,
  NewAccountSchema,
  PageQuerySchema,
  PasswordLinkSchema,
  RemindersSchema,
  SwitchRemindersSchema,
} from '../schemas/index.ts'

/** Of whoever acts on an account that has roles. */
const OF_ROLES = ['person-required', 'recent-sign-in-required'] as const
const WITH_ROLES =
  'The caller holds every role that the account has. If it has any, the caller is a person who signed in within the last 15 minutes.'

const READING = {
  ...SIGNED_IN,
  permission: 'accounts:read',
  errors: ['no-such-record'],
} as const
const CHANGING = {
  ...SIGNED_IN,
  permission: 'accounts:manage',
  description: WITH_ROLES,
  body: EmptyObjectSchema,
  response: AccountRecordSchema,
  record: true,
} as const

export const ACCOUNT_OPERATIONS = {
  myReminders: {
    ...MANAGEMENT_ROUTES.myReminders,
    ...SIGNED_IN,
    summary:
      'Whether I want reminders by mail before my tokens and roles, and the keys that I manage, expire, and whether any is sent',
    errors: [],
    response: RemindersSchema,
    record: true,
  },
  switchMyReminders: {
    ...MANAGEMENT_ROUTES.switchMyReminders,
    ...SIGNED_IN,
    summary: 'Switches my reminders off or on',
    description:
      'Events to the webhook of the operator are sent anyway. Without a mail server, switching them on mails nothing: `sent_by` shows how the service sends reminders.',
    errors: ['state-conflict'],
    body: SwitchRemindersSchema,
    bodyRequired: true,
    response: RemindersSchema,
    record: true,
    actions: ['account.reminders-off', 'account.reminders-on'],
  },
  accounts: {
    ...MANAGEMENT_ROUTES.accounts,
    ...READING,
    summary: 'The accounts that fit all filters, by username',
    description:
      'A page looks at 20,000 rows at most. It may be short or empty and have `next` all the same: go on with it. Removed accounts are not in the list.',
    errors: [],
    query: AccountsQuerySchema,
    response: AccountsSchema,
  },
  accountSummaries: {
    ...MANAGEMENT_ROUTES.accountSummaries,
    ...READING,
    summary: 'The roles of some accounts, how many agents they have, and when they last opened a session',
    errors: [],
    query: AccountSummariesQuerySchema,
    response: AccountSummariesSchema,
  },
  addAccount: {
    ...MANAGEMENT_ROUTES.addAccount,
    ...SIGNED_IN,
    summary: 'Adds an account without a password; `linkToPassword` lets its owner choose one',
    permission: 'accounts:manage',
    errors: ['already-exists'],
    body: NewAccountSchema,
    bodyRequired: true,
    response: AccountRecordSchema,
    status: 201,
    record: true,
    actions: ['account.add'],
  },
  account: {
    ...MANAGEMENT_ROUTES.account,
    ...READING,
    summary: 'One account, by its id or username',
    response: AccountRecordSchema,
    record: true,
  },
  editAccount: {
    ...MANAGEMENT_ROUTES.editAccount,
    ...CHANGING,
    summary: 'Changes the name or the e-mail address of an account, or whether it wants reminders by mail',
    errors: ['no-such-record', 'state-conflict', ...OF_ROLES],
    body: EditAccountSchema,
    bodyRequired: true,
    actions: ['account.set-name', 'account.set-email', 'account.reminders-off', 'account.reminders-on'],
  },
  disableAccount: {
    ...MANAGEMENT_ROUTES.disableAccount,
    ...CHANGING,
    summary: 'Disables an account: no logins, agents or tokens until it is enabled again',
    errors: ['no-such-record', 'last-operator', ...OF_ROLES],
    actions: ['account.disable'],
  },
  enableAccount: {
    ...MANAGEMENT_ROUTES.enableAccount,
    ...CHANGING,
    summary: 'Lets a disabled account log in again',
    errors: ['no-such-record', 'state-conflict', ...OF_ROLES],
    actions: ['account.enable'],
  },
  linkToPassword: {
    ...MANAGEMENT_ROUTES.linkToPassword,
    ...SIGNED_IN,
    summary: 'Makes a link through which the owner of an account sets a new password: once, within 24 hours',
    description: 'The caller holds every role that the account has.',
    permission: 'accounts:manage',
    person: true,
    recentSignIn: true,
    errors: ['no-such-record', 'state-conflict'],
    body: EmptyObjectSchema,
    response: PasswordLinkSchema,
    status: 201,
    secret: true,
    actions: ['account.reset-link'],
  },
  accountIdentities: {
    ...MANAGEMENT_ROUTES.accountIdentities,
    ...READING,
    summary: 'By which identities of external identity services an account is known',
    query: PageQuerySchema,
    response: IdentitiesSchema,
  },
  accountAgents: {
    ...MANAGEMENT_ROUTES.accountAgents,
    ...READING,
    summary: 'The agents of an account, by name',
    query: PageQuerySchema,
    response: AgentsSchema,
  },
  removeAgent: {
    ...MANAGEMENT_ROUTES.removeAgent,
    ...CHANGING,
    summary: 'Removes an agent: its key opens nothing any more; its tokens stay valid until they are revoked',
    errors: ['no-such-record', ...OF_ROLES],
    response: AgentSchema,
    actions: ['agent.remove'],
  },
} as const satisfies Record<string, ManagementOperation>
