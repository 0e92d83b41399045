/** The wire schemas of accounts in the management API. */
import { BEGINNING_OF_USERNAME } from '../../patterns.ts'
import { orNull } from '../../tokens.ts'
import { Type } from '../../type.ts'
import { listOf, nameOrId, page, pageQuery, RoleSchema } from './common.ts'

const exactly = { additionalProperties: false }
const Text = Type.String()

export const AccountRecordSchema = Type.Object(
  {
    id: Text,
    username: Text,
    name: Text,
    email: Type.String({ description: 'Empty for an account that a first login made' }),
    password: Type.Boolean({ description: 'Whether it has one' }),
    password_logins: Type.Boolean({ description: 'Whether programs may log in with its password' }),
    reminders: Type.Boolean({
      description:
        'Whether it wants reminders by mail of what expires soon. `sent_by` of `GET /me/reminders` shows whether the service sends mail',
    }),
    second_factor: Type.Boolean(),
    disabled_at: orNull(Text),
    logins_since: orNull(Text, 'Logins of before open nothing'),
    created_at: Text,
    removed_at: Type.Optional(Type.String({ description: 'Only of an account that is removed, for good' })),
  },
  { title: 'AccountRecord', ...exactly },
)
export const AccountsSchema = Type.Object(
  {
    accounts: Type.Array(AccountRecordSchema),
    next: orNull(Text),
    examined: Type.Optional(
      Type.Integer({
        description: 'The page is short: so many rows were looked at, and there are more. Go on with `next`.',
      }),
    ),
  },
  { title: 'Accounts', ...exactly },
)
export const AccountsQuerySchema = Type.Object(
  {
    ...pageQuery,
    q: Type.Optional(
      Type.String({ pattern: BEGINNING_OF_USERNAME.pattern, description: 'The beginning of a username' }),
    ),
    state: Type.Optional(Type.Enum(['enabled', 'disabled'], { type: 'string' })),
  },
  exactly,
)

// What a name or an address may be is a rule of accounts, which says it in its own words. These are limits before that.
const NameSchema = Type.String({ maxLength: 1024, description: '1 to 128 characters' })
const EmailSchema = Type.String({ maxLength: 1024, description: 'At most 254 bytes' })

export const NewAccountSchema = Type.Object(
  {
    username: Type.String({
      maxLength: 1024,
      description: '2 to 28 of a-z, 0-9 and single dashes between them',
    }),
    name: NameSchema,
    email: EmailSchema,
  },
  { title: 'NewAccount', ...exactly },
)
export const EditAccountSchema = Type.Object(
  {
    name: Type.Optional(NameSchema),
    email: Type.Optional(EmailSchema),
    reminders: Type.Optional(Type.Boolean()),
  },
  { title: 'EditAccount', ...exactly },
)

export const RemindersSchema = Type.Object(
  {
    reminders: Type.Boolean({ description: 'Whether I want reminders by mail of what expires soon' }),
    email: orNull(Text, 'Where they go. Null: I have no address, and get none'),
    sent_by: Type.Array(Type.Enum(['mail', 'webhook'], { type: 'string' }), {
      description:
        'How the service sends reminders. Without `mail` it has no mail server (RATAFIA_SMTP_URL), and mails none',
    }),
  },
  { title: 'Reminders', ...exactly },
)
export const SwitchRemindersSchema = Type.Object(
  { reminders: Type.Optional(Type.Boolean()) },
  { title: 'SwitchReminders', ...exactly },
)

export const PasswordLinkSchema = Type.Object(
  {
    username: Text,
    url: orNull(Text, 'Whoever has it sets the password. Null in a dry run'),
    expires_at: Text,
  },
  { title: 'PasswordLink', ...exactly },
)

export const IdentitiesSchema = page(
  'Identities',
  'identities',
  Type.Object(
    { issuer: Type.String({ description: 'The location of the service' }), subject: Text, linked_at: Text },
    exactly,
  ),
)

/** As many as a page of a list has. */
export const MOST_SUMMARIES = 100
export const AccountSummariesQuerySchema = Type.Object(
  {
    account: Type.Array(nameOrId('A username or an id'), {
      minItems: 1,
      maxItems: MOST_SUMMARIES,
      description: 'Usernames or ids. One that is not there is left out',
    }),
  },
  exactly,
)
export const AccountSummarySchema = Type.Object(
  {
    id: Text,
    username: Text,
    roles: Type.Array(Type.Object({ role: RoleSchema, brand: orNull(Text, 'Null: all brands') }, exactly), {
      description: 'Those that it has now',
    }),
    may_act: Type.Boolean({
      description:
        'Whether you have all that these roles allow. Only then can you change the account, or revoke its tokens, if you have a role for that',
    }),
    agents: Type.Integer({ minimum: 0, description: 'How many it has' }),
    newest_session_at: orNull(
      Text,
      'When the newest of its sessions was opened, by a person, an agent or a job of CI. Null: none is kept',
    ),
  },
  { title: 'AccountSummary', ...exactly },
)
export const AccountSummariesSchema = listOf('AccountSummaries', 'summaries', AccountSummarySchema)
