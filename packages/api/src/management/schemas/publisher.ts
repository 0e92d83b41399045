/** The rules that let jobs of CI systems publish as an account, and the issuers of their ID tokens. */
import { orNull } from '../../tokens.ts'
import { Type } from '../../type.ts'
import { exactly, listOf, page, Text } from './common.ts'

export const IssuerSchema = Type.Object(
  {
    url: Type.String({ description: 'What `iss` of an ID token says' }),
    kind: Type.String({ description: '`github`, `gitlab`, …: there may be others in a newer release' }),
    audience: Type.String({ description: 'What `aud` of an ID token has to be' }),
    ids: Type.Array(Text, { description: 'The claims that a rule has to match exactly' }),
    one_of: Type.Array(Text, {
      description: 'A rule has to match one of these as well. Empty: nothing more',
    }),
  },
  { title: 'Issuer', ...exactly },
)
export const IssuersSchema = listOf('Issuers', 'issuers', IssuerSchema)

const PublisherFields = {
  id: Text,
  name: Text,
  account: Text,
  issuer: Text,
  kind: Text,
  match: Type.Record(Type.String(), Type.Unknown(), { description: 'By claim: all must hold' }),
  permissions: Type.Array(Text),
  packages: Type.Array(Text, { description: 'Snap ids' }),
  channels: orNull(Type.Array(Text), 'Null: all'),
  stores: orNull(Type.Array(Text), 'Null: all'),
  lifetime_seconds: Type.Integer({ description: 'Of the tokens of its jobs' }),
  disabled_at: orNull(Text),
  created_at: Text,
  version: Type.String({ description: 'A hash of what the rule says: the audit log has it with each token' }),
  last_used_at: orNull(Text, 'When a job last got a token by it, to the hour'),
  disuse: orNull(
    Type.Enum(['never-matched', 'unused-for-90-days'], { type: 'string' }),
    'Why it may be worth removing',
  ),
} as const
export const PublisherSchema = Type.Object(PublisherFields, { title: 'Publisher', ...exactly })
export const PublishersSchema = page('Publishers', 'publishers', PublisherSchema)
export const ShownPublisherSchema = Type.Object(
  {
    ...PublisherFields,
    warnings: Type.Array(Text, { description: 'How somebody could get more than you think' }),
  },
  { title: 'ShownPublisher', ...exactly },
)
export const RemovedPublisherSchema = Type.Object(
  {
    ...PublisherFields,
    revoked: Type.Integer({ minimum: 0, description: 'How many sessions that it had opened were revoked' }),
  },
  { title: 'RemovedPublisher', ...exactly },
)

/** One of the two. */
export const TestPublisherSchema = Type.Object(
  {
    claims: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Of an ID token', maxProperties: 200 }),
    ),
    id_token: Type.Optional(
      Type.String({ maxLength: 16_384, description: 'Whole; its signature is not checked' }),
    ),
  },
  { title: 'TestPublisher', minProperties: 1, maxProperties: 1, ...exactly },
)
export const TestedPublisherSchema = Type.Object(
  {
    rule: Text,
    version: Text,
    at: Type.String({
      description: 'When the claims were issued, if they say so: times are checked as of then',
    }),
    holds: Type.Boolean({ description: 'A job with these claims gets a token, if they are signed and new' }),
    lines: Type.Array(
      Type.Object(
        {
          about: Type.String({
            description: '`issuer`, `match`, `event`, `audience`, `time`, `rule`, `account`',
          }),
          claim: Text,
          expected: Text,
          found: Text,
          holds: Type.Boolean(),
        },
        exactly,
      ),
    ),
  },
  { title: 'TestedPublisher', ...exactly },
)
