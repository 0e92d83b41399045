/** Tokens and their sessions, and who is asking. */
import type { Static } from 'typebox'
import { MAX_DESCRIPTION_LENGTH } from '../../limits.ts'
import { orNull } from '../../tokens.ts'
import { Type } from '../../type.ts'
import { MANAGEMENT_PERMISSIONS } from '../roles.ts'
import { BrandSchema, exactly, InstantSchema, nameOrId, page, pageQuery, RoleSchema, Text } from './common.ts'
import { GrantFields } from './grant.ts'

export const ManagementRootRequestSchema = Type.Object(
  {
    roles: Type.Optional(
      Type.Array(RoleSchema, {
        minItems: 1,
        maxItems: 6,
        uniqueItems: true,
        description: 'Only with these; one that includes another may stand for it',
      }),
    ),
    brands: Type.Optional(
      Type.Array(BrandSchema, {
        minItems: 1,
        maxItems: 64,
        uniqueItems: true,
        description: 'Only for these',
      }),
    ),
    read_only: Type.Optional(Type.Boolean({ description: 'It changes nothing' })),
    lifetime: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 86_400,
        description: 'Seconds; what the service is set to if absent',
      }),
    ),
    max_age: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 86_400,
        description: 'Seconds: a person who signed in to the browser longer ago signs in again',
      }),
    ),
    description: Type.Optional(Type.String({ maxLength: MAX_DESCRIPTION_LENGTH })),
  },
  { title: 'ManagementRootRequest', ...exactly },
)

// Who is asking

const PermissionWithBrandsSchema = Type.Object(
  {
    permission: Type.Enum([...MANAGEMENT_PERMISSIONS], {
      type: 'string',
      title: 'ManagementPermission',
    }),
    brands: orNull(Type.Array(Text), 'Null: all'),
  },
  exactly,
)

export const MeSchema = Type.Object(
  {
    id: Text,
    username: Text,
    name: Text,
    email: Text,
    signed_in: Type.Object(
      {
        with: Type.Enum(['browser', 'agent', 'unknown'], { type: 'string' }),
        at: orNull(Text, 'When the person signed in'),
        agent: orNull(Text),
      },
      exactly,
    ),
    session_id: Text,
    expires: Type.String({ description: 'The end of the token' }),
    grants: Type.Array(Type.Object({ id: Text, ...GrantFields }, exactly)),
    permissions: Type.Array(PermissionWithBrandsSchema, { description: 'What this token may do now' }),
  },
  { title: 'Me', ...exactly },
)
export type Me = Static<typeof MeSchema>

// Sessions of tokens

const orAll = (description: string) => orNull(Type.Array(Text), description)
const LimitsSchema = Type.Object(
  {
    permissions: orAll('Null: all'),
    channels: orAll('Null: all'),
    packages: orAll('Snap ids; null: all'),
    store_ids: orAll('Null: all'),
  },
  exactly,
)
const AskedRolesSchema = Type.Object(
  {
    roles: orAll('Null: all that its account has'),
    brands: orAll('Null: all'),
    read_only: Type.Boolean({ description: 'It changes nothing' }),
  },
  exactly,
)

const SessionFields = {
  session_id: Text,
  username: Text,
  kind: Type.Enum(['developer', 'management'], { type: 'string' }),
  description: orNull(Text),
  signed_in: orNull(Text, '`browser INSTANT` or `agent NAME`, where it is known'),
  opened_from: orNull(Text),
  limits: orNull(
    LimitsSchema,
    'Of developer tokens: what its login asked for; a copy of its token may have less. Null: not recorded, because the limits are too long',
  ),
  manage: orNull(AskedRolesSchema, 'Of management tokens: what its login asked for. Null: not recorded'),
  valid_since: Text,
  valid_until: Text,
  revoked_at: orNull(Text),
  revoked_by: orNull(Text),
  rule: orNull(Text),
  issuer: orNull(Text),
  job: orNull(Type.Record(Type.String(), Type.Unknown()), 'What the ID token of a CI job says of it'),
}
export const SessionSchema = Type.Object(SessionFields, { title: 'Session', ...exactly })
export const ListedSessionSchema = Type.Object(
  {
    ...SessionFields,
    last_used_at: orNull(Text, 'When a token of it was last accepted, to about five minutes'),
    last_used_from: orNull(Text, 'From where: of whoever presented it, such as a store that asked about it'),
  },
  { title: 'ListedSession', ...exactly },
)
export const SessionsSchema = page('Sessions', 'tokens', ListedSessionSchema)
const sessionsQuery = {
  ...pageQuery,
  state: Type.Optional(
    Type.Enum(['active', 'ending', 'revoked', 'expired', 'all'], {
      type: 'string',
      description:
        '`active` if absent. `ending`: a reminder is sent for it, and it expires within 30 days, the next one first; not sessions of CI jobs, nor short ones. `expired`: over and not revoked, the last one first. `revoked`: the last one first',
    }),
  ),
  kind: Type.Optional(Type.Enum(['developer', 'management'], { type: 'string' })),
  ci: Type.Optional(
    Type.Enum(['none', 'only'], {
      type: 'string',
      description: '`none`: without the sessions that CI jobs opened. `only`: those alone',
    }),
  ),
  rule: Type.Optional(nameOrId('The name of a rule: only the sessions that CI jobs opened by it')),
  q: Type.Optional(
    Type.String({
      ...{ minLength: 1, maxLength: 128 },
      description: 'A part of the description, in letters of either case',
    }),
  ),
  unused_since: Type.Optional(InstantSchema),
}
export const SessionsQuerySchema = Type.Object(sessionsQuery, exactly)
export const AllSessionsQuerySchema = Type.Object(
  {
    ...sessionsQuery,
    account: Type.Optional(nameOrId('A username or an id')),
    ends_before: Type.Optional(InstantSchema),
  },
  exactly,
)
export const ShortenSchema = Type.Object({ until: InstantSchema }, { title: 'Shorten', ...exactly })
export const RevokeMineSchema = Type.Object(
  {
    all_but: Type.Optional(
      Type.Array(nameOrId('The id of a session'), {
        maxItems: 64,
        uniqueItems: true,
        description: 'The ids of the sessions that go on',
      }),
    ),
  },
  { title: 'RevokeMine', ...exactly },
)
export const RevokedSchema = Type.Object(
  {
    revoked: Type.Integer({ description: 'How many sessions this request ended' }),
    more: Type.Boolean({ description: 'There are more: send the request again' }),
  },
  { title: 'Revoked', ...exactly },
)

/** A slice of macaroons as long as they may be, in base64 twice, as tools store it. */
export const MOST_TOKEN_CHARACTERS = 60 * 1024
export const ExplainSchema = Type.Object(
  {
    token: Type.String({
      minLength: 1,
      maxLength: MOST_TOKEN_CHARACTERS,
      description: 'A token, a root with its discharge, or the string in which a tool stores one',
    }),
  },
  { title: 'Explain', ...exactly },
)
export const EXPLAINED_KINDS = [
  'developer-token',
  'developer-root',
  'management-token',
  'management-root',
  'device-session',
  'agent-login',
] as const
export const ExplanationSchema = Type.Object(
  {
    kind: orNull(
      Type.Enum([...EXPLAINED_KINDS], { type: 'string' }),
      'Null: nothing that this service has issued',
    ),
    accepted: Type.Boolean({ description: 'Whether it opens anything now' }),
    refusal: orNull(
      Type.Object({ code: Text, message: Text }, exactly),
      'Why it is refused, as whoever presents it is told',
    ),
    username: orNull(Text, 'The account that it acts for'),
    session_id: orNull(Text),
    expires: orNull(Text),
    limits: orNull(LimitsSchema, 'Of a developer token: what it is limited to'),
    may: orNull(Type.Array(PermissionWithBrandsSchema), 'Of a management token: what it may do now'),
  },
  { title: 'Explanation', ...exactly },
)
export type Explanation = Static<typeof ExplanationSchema>
