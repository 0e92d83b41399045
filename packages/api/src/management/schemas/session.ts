/** The wire schemas of tokens, their sessions and their holders. */
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
        description: 'Only these roles; one can also be part of a larger role of the account',
      }),
    ),
    brands: Type.Optional(
      Type.Array(BrandSchema, {
        minItems: 1,
        maxItems: 64,
        uniqueItems: true,
        description: 'Only these brands',
      }),
    ),
    read_only: Type.Optional(Type.Boolean({ description: 'Whether the token can only read' })),
    lifetime: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 86_400,
        description: 'The lifetime in seconds; the default of the service if absent',
      }),
    ),
    max_age: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 86_400,
        description: 'In seconds: a user who signed in to the browser longer ago must sign in again',
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
        at: orNull(Text, 'When the user signed in'),
        agent: orNull(Text),
      },
      exactly,
    ),
    session_id: Text,
    expires: Type.String({ description: 'When the token expires' }),
    grants: Type.Array(Type.Object({ id: Text, ...GrantFields }, exactly)),
    permissions: Type.Array(PermissionWithBrandsSchema, {
      description: 'The current permissions of this token',
    }),
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
    read_only: Type.Boolean({ description: 'Whether it can only read' }),
  },
  exactly,
)

const SessionFields = {
  session_id: Text,
  username: Text,
  kind: Type.Enum(['developer', 'management'], { type: 'string' }),
  description: orNull(Text),
  signed_in: orNull(Text, '`browser INSTANT` or `agent NAME`, if known'),
  opened_from: orNull(Text),
  limits: orNull(
    LimitsSchema,
    'For developer tokens, what the login requested; a copy of its token may have less. Null: not recorded, because the limits are too long',
  ),
  manage: orNull(AskedRolesSchema, 'For management tokens, what the login requested. Null: not recorded'),
  valid_since: Text,
  valid_until: Text,
  revoked_at: orNull(Text),
  revoked_by: orNull(Text),
  rule: orNull(Text),
  issuer: orNull(Text),
  job: orNull(Type.Record(Type.String(), Type.Unknown()), 'The facts about a CI job in its ID token'),
}
export const SessionSchema = Type.Object(SessionFields, { title: 'Session', ...exactly })
export const ListedSessionSchema = Type.Object(
  {
    ...SessionFields,
    last_used_at: orNull(Text, 'When one of its tokens was last accepted, to about five minutes'),
    last_used_from: orNull(Text, 'The address that presented it, such as that of a store that checked it'),
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
        '`active` if absent. `ending`: sessions that get a reminder and expire within 30 days, the first to expire first; not short ones or those of CI jobs. `expired`: expired without being revoked, the last one first. `revoked`: the last one first',
    }),
  ),
  kind: Type.Optional(Type.Enum(['developer', 'management'], { type: 'string' })),
  ci: Type.Optional(
    Type.Enum(['none', 'only'], {
      type: 'string',
      description: '`none`: without the sessions that CI jobs opened. `only`: only those sessions',
    }),
  ),
  rule: Type.Optional(nameOrId('The name of a rule: only the sessions that CI jobs opened by it')),
  q: Type.Optional(
    Type.String({
      ...{ minLength: 1, maxLength: 128 },
      description: 'A part of the description, not case-sensitive',
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
        description: 'The ids of the sessions that are not revoked',
      }),
    ),
  },
  { title: 'RevokeMine', ...exactly },
)
export const RevokedSchema = Type.Object(
  {
    revoked: Type.Integer({ description: 'How many sessions this request revoked' }),
    more: Type.Boolean({ description: 'Whether there are more: then send the request again' }),
  },
  { title: 'Revoked', ...exactly },
)

/** The longest slice of macaroons, in base64 twice, which is how tools store it. */
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
    kind: orNull(Type.Enum([...EXPLAINED_KINDS], { type: 'string' }), 'Null: not issued by this service'),
    accepted: Type.Boolean({ description: 'Whether it is accepted now' }),
    refusal: orNull(
      Type.Object({ code: Text, message: Text }, exactly),
      'Why it is refused, as in the refusal when it is presented',
    ),
    username: orNull(Text, 'The account that it acts for'),
    session_id: orNull(Text),
    expires: orNull(Text),
    limits: orNull(LimitsSchema, 'The limits of a developer token'),
    may: orNull(Type.Array(PermissionWithBrandsSchema), 'The current permissions of a management token'),
  },
  { title: 'Explanation', ...exactly },
)
export type Explanation = Static<typeof ExplanationSchema>
