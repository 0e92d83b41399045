/** The wire schemas of agents in the management API. */
import { orNull } from '../../tokens.ts'
import { Type } from '../../type.ts'
import { exactly, page, pageQuery, Text } from './common.ts'

const orAll = (description: string) => orNull(Type.Array(Text), description)

export const AgentSchema = Type.Object(
  {
    name: Text,
    account: Text,
    public_key: Text,
    limits: Type.Object(
      {
        permissions: orAll('Null: all'),
        channels: orAll('Null: all'),
        packages: orAll('Snap ids; null: all'),
        store_ids: orAll('Null: all'),
        max_lifetime_seconds: orNull(
          Type.Integer(),
          'Seconds from a login until its tokens expire, at most; null: no limit',
        ),
      },
      { ...exactly, description: 'The limits of each of its logins' },
    ),
    created_at: Text,
  },
  { title: 'Agent', ...exactly },
)
export const AgentsSchema = page('Agents', 'agents', AgentSchema)
export const AgentsQuerySchema = Type.Object({ ...pageQuery }, exactly)
