/** The wire schemas of accounts in the management API. */
import { BEGINNING_OF_USERNAME } from '../../patterns.ts'
import { orNull } from '../../tokens.ts'
import { Type } from '../../type.ts'
import { EXAMINED, exactly, listOf, nameOrId, page, pageQuery, RoleSchema, Text } from './common.ts'

export const AccountRecordSchema = Type.Object(
  {
    id: Text,
    username: Text,
    name: Text,
    email: Type.String({ description: 'Empty for an account that a first login created' }),
    password: Type.Boolean({ description: 'Whether it has a password' }),
    password_logins: Type.Boolean({ description: 'Whether programs can log in with its password' }),
    reminders: Type.Boolean({
      description:
        'Whether it gets mail about what expires soon. `sent_by` of `GET /me/reminders` shows whether the service sends mail',
    }),
    second_factor: Type.Boolean(),
    disabled_at: orNull(Text),
    logins_since: orNull(Text, 'Logins before this instant are revoked'),
    created_at: Text,
    removed_at: Type.Optional(
      Type.String({ description: 'Only for an account that was removed permanently' }),
    ),
  },
  { title: 'AccountRecord', ...exactly },
)
export const AccountsSchema = Type.Object(
  {
    accounts: Type.Array(AccountRecordSchema),
    next: orNull(Text),
    examined: EXAMINED,
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

// The accounts' own rules decide on names and addresses, with their own messages. These limits come before them.
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
    reminders: Type.Boolean({ description: 'Whether I get mail about what expires soon' }),
    email: orNull(Text, 'Where reminders are sent. Null: I have no address, so I do not get any'),
    sent_by: Type.Array(Type.Enum(['mail', 'webhook'], { type: 'string' }), {
      description:
        'How the service sends reminders. Without `mail` it has no mail server (RATAFIA_SMTP_URL) and cannot send mail',
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
    url: orNull(Text, 'Its holder can set the password. Null in a dry run'),
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

/** The same number as on a page of a list. */
export const MOST_SUMMARIES = 100
export const AccountSummariesQuerySchema = Type.Object(
  {
    account: Type.Array(nameOrId('A username or an id'), {
      minItems: 1,
      maxItems: MOST_SUMMARIES,
      description: 'Usernames or ids. Unknown ones are left out',
    }),
  },
  exactly,
)
export const AccountSummarySchema = Type.Object(
  {
    id: Text,
    username: Text,
    roles: Type.Array(Type.Object({ role: RoleSchema, brand: orNull(Text, 'Null: all brands') }, exactly), {
      description: 'The roles that it has now',
    }),
    may_act: Type.Boolean({
      description:
        'Whether you have everything that these roles allow. Only then can you change the account or revoke its tokens, if one of your roles allows that',
    }),
    agents: Type.Integer({ minimum: 0, description: 'The number of its agents' }),
    newest_session_at: orNull(
      Text,
      'When its newest session was opened, by a person, an agent or a CI job. Null: no session is stored',
    ),
  },
  { title: 'AccountSummary', ...exactly },
)
export const AccountSummariesSchema = listOf('AccountSummaries', 'summaries', AccountSummarySchema)
