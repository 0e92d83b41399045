/** The wire schemas of grants: which account has which role. */
import { orNull } from '../../tokens.ts'
import { Type } from '../../type.ts'
import { BrandSchema, exactly, InstantSchema, nameOrId, page, pageQuery, RoleSchema, Text } from './common.ts'

export const GrantFields = {
  role: RoleSchema,
  brand: orNull(Text, 'Null: all brands, and what belongs to no brand'),
  granted_at: Text,
  granted_by: Text,
  expires_at: orNull(Text),
}

export const GrantSchema = Type.Object(
  {
    ...{ id: Text, account_id: Text, account: Text, ...GrantFields },
    agents: Type.Array(Text, {
      description: 'The agents that have the role although they were added before the grant',
    }),
  },
  { title: 'Grant', ...exactly },
)
export const GrantsSchema = page('Grants', 'grants', GrantSchema)
export const GrantsQuerySchema = Type.Object(
  {
    ...pageQuery,
    account: Type.Optional(nameOrId('A username or an id')),
    role: Type.Optional(RoleSchema),
    brand: Type.Optional(BrandSchema),
  },
  exactly,
)
export const NewGrantSchema = Type.Object(
  {
    account: nameOrId('A username or an id'),
    role: RoleSchema,
    brand: Type.Optional(orNull(BrandSchema)),
    expires: Type.Optional(orNull(InstantSchema)),
    agents: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
        maxItems: 100,
        uniqueItems: true,
        description:
          'The names of agents of the account that get the role although they were added before. Agents that are added later have it anyway.',
      }),
    ),
  },
  { title: 'NewGrant', ...exactly },
)
