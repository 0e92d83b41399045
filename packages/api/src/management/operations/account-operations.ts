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

/** The refusals for callers who change an account with roles. */
const OF_ROLES = ['person-required', 'recent-sign-in-required'] as const
const WITH_ROLES =
  'The caller must have every role that the account has. If it has any, the caller must be a person who signed in within the last 15 minutes.'

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
      'Returns whether I get mail before my tokens, roles and managed keys expire, and how the service sends it',
    errors: [],
    response: RemindersSchema,
    record: true,
  },
  switchMyReminders: {
    ...MANAGEMENT_ROUTES.switchMyReminders,
    ...SIGNED_IN,
    summary: 'Switches my reminder e-mails off or on',
    description:
      "Events are still sent to the operator's webhook. Without a mail server, switching reminders on does not send any: `sent_by` shows how the service sends reminders.",
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
    summary: 'Lists the accounts that match all filters, by username',
    description:
      'A page reads at most 20,000 rows. It may be short or empty and still have `next`: continue with it. Removed accounts are not listed.',
    errors: [],
    query: AccountsQuerySchema,
    response: AccountsSchema,
  },
  accountSummaries: {
    ...MANAGEMENT_ROUTES.accountSummaries,
    ...READING,
    summary: "Lists some accounts' roles, number of agents and newest session",
    errors: [],
    query: AccountSummariesQuerySchema,
    response: AccountSummariesSchema,
  },
  addAccount: {
    ...MANAGEMENT_ROUTES.addAccount,
    ...SIGNED_IN,
    summary: 'Creates an account without a password; with `linkToPassword` its owner can choose one',
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
    summary: 'Returns an account, by its id or username',
    response: AccountRecordSchema,
    record: true,
  },
  editAccount: {
    ...MANAGEMENT_ROUTES.editAccount,
    ...CHANGING,
    summary: 'Changes the name or e-mail address of an account, or whether it gets reminder e-mails',
    errors: ['no-such-record', 'state-conflict', ...OF_ROLES],
    body: EditAccountSchema,
    bodyRequired: true,
    actions: ['account.set-name', 'account.set-email', 'account.reminders-off', 'account.reminders-on'],
  },
  disableAccount: {
    ...MANAGEMENT_ROUTES.disableAccount,
    ...CHANGING,
    summary: 'Disables an account: its logins, agents and tokens stop working until it is enabled again',
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
    summary: 'Creates a link that lets the owner of an account set a new password: once, within 24 hours',
    description: 'The caller must have every role that the account has.',
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
    summary: 'Lists the identities at external identity services that are linked to an account',
    query: PageQuerySchema,
    response: IdentitiesSchema,
  },
  accountAgents: {
    ...MANAGEMENT_ROUTES.accountAgents,
    ...READING,
    summary: 'Lists the agents of an account, by name',
    query: PageQuerySchema,
    response: AgentsSchema,
  },
  removeAgent: {
    ...MANAGEMENT_ROUTES.removeAgent,
    ...CHANGING,
    summary: 'Removes an agent: its key stops working; its tokens stay valid until they are revoked',
    errors: ['no-such-record', ...OF_ROLES],
    response: AgentSchema,
    actions: ['agent.remove'],
  },
} as const satisfies Record<string, ManagementOperation>
