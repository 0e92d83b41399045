/** The wire schemas of CI rules, which let jobs publish as an account, and of the issuers of ID tokens. */
import { orNull } from '../../tokens.ts'
import { Type } from '../../type.ts'
import { exactly, listOf, page, Text } from './common.ts'

export const IssuerSchema = Type.Object(
  {
    url: Type.String({ description: 'The `iss` of its ID tokens' }),
    kind: Type.String({ description: '`github`, `gitlab`, …; a newer release may have others' }),
    audience: Type.String({ description: 'The required `aud` of its ID tokens' }),
    ids: Type.Array(Text, { description: 'The claims that a rule must match exactly' }),
    one_of: Type.Array(Text, {
      description: 'A rule must also match one of these. Empty: no further claim is required',
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
  match: Type.Record(Type.String(), Type.Unknown(), { description: 'Values by claim: all must match' }),
  permissions: Type.Array(Text),
  packages: Type.Array(Text, { description: 'Snap ids' }),
  channels: orNull(Type.Array(Text), 'Null: all'),
  stores: orNull(Type.Array(Text), 'Null: all'),
  lifetime_seconds: Type.Integer({ description: "The lifetime of its jobs' tokens" }),
  disabled_at: orNull(Text),
  created_at: Text,
  version: Type.String({ description: 'A hash of the rule, which the audit log has with each token' }),
  last_used_at: orNull(Text, 'When a job last got a token by it, to the hour'),
  disuse: orNull(
    Type.Enum(['never-matched', 'unused-for-90-days'], { type: 'string' }),
    'Why you may want to remove it',
  ),
} as const
export const PublisherSchema = Type.Object(PublisherFields, { title: 'Publisher', ...exactly })
export const PublishersSchema = page('Publishers', 'publishers', PublisherSchema)
export const ShownPublisherSchema = Type.Object(
  {
    ...PublisherFields,
    warnings: Type.Array(Text, { description: 'How others could get more than you expect' }),
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

/** Exactly one of the two fields is required. */
export const TestPublisherSchema = Type.Object(
  {
    claims: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'The claims of an ID token',
        maxProperties: 200,
      }),
    ),
    id_token: Type.Optional(
      Type.String({ maxLength: 16_384, description: 'A whole ID token; its signature is not checked' }),
    ),
  },
  { title: 'TestPublisher', minProperties: 1, maxProperties: 1, ...exactly },
)
export const TestedPublisherSchema = Type.Object(
  {
    rule: Text,
    version: Text,
    at: Type.String({
      description: 'When the claims were issued, if they contain it: times are checked for this instant',
    }),
    holds: Type.Boolean({
      description: 'Whether a job with these claims gets a token, if they are signed and new',
    }),
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
