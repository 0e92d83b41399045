/** The wire schemas of brands and their keys in the management API. */
import { orNull } from '../../tokens.ts'
import { Type } from '../../type.ts'
import { BrandSchema, exactly, page, pageQuery, several, Text } from './common.ts'

export const BrandRecordSchema = Type.Object(
  { account_id: Text, display_name: Text, added_at: Text },
  { title: 'Brand', ...exactly },
)
export const BrandsSchema = page('Brands', 'brands', BrandRecordSchema)

const SIGNING_KEY = {
  account_id: Text,
  name: orNull(Text),
  state: Type.Enum(['signs', 'does not fit', 'disabled'], { type: 'string' }),
  since: orNull(Text),
  until: orNull(Text),
  added_at: Text,
  disabled_at: orNull(Text),
  fault: orNull(Text, 'Why it cannot sign now although it is not disabled'),
  key_id: Text,
} as const

export const SigningKeySchema = Type.Object(SIGNING_KEY, { title: 'SigningKey', ...exactly })
export const SigningKeysSchema = page('SigningKeys', 'signing_keys', SigningKeySchema)
export const SigningKeysQuerySchema = Type.Object(
  { ...pageQuery, brand: Type.Optional(several(BrandSchema)) },
  exactly,
)

export const DisableSigningKeySchema = Type.Object(
  {
    force: Type.Optional(
      Type.Boolean({ description: 'Disable it even if models have no other key; requires a recent sign-in' }),
    ),
  },
  { title: 'DisableSigningKey', ...exactly },
)

export const DisabledSigningKeySchema = Type.Object(
  {
    ...SIGNING_KEY,
    stopped_models: Type.Array(Text, {
      description: 'BRAND/MODEL of the models without another key: their serials are not signed any more',
    }),
  },
  { title: 'DisabledSigningKey', ...exactly },
)

export const TrustRootsSchema = Type.Object(
  {
    trust_roots: Type.Array(
      Type.Object(
        {
          account_id: Text,
          display_name: Text,
          key_name: orNull(Text),
          since: Text,
          until: orNull(Text),
          origin: Type.Enum(['built in', 'added'], { type: 'string' }),
          key_id: Text,
        },
        { title: 'TrustRoot', ...exactly },
      ),
    ),
  },
  { title: 'TrustRoots', ...exactly },
)
