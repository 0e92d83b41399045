/** The wire schemas of what needs attention, as the console's overview shows it. */
import { orNull } from '../../tokens.ts'
import { Type } from '../../type.ts'
import { BrandSchema, exactly, Text } from './common.ts'

export const AttentionQuerySchema = Type.Object({ brand: Type.Optional(BrandSchema) }, exactly)

/** Fields of a count with an upper limit. */
const counted = {
  devices: Type.Integer({ minimum: 0, description: 'At most 10,000' }),
  more: Type.Boolean({ description: 'Whether there are more' }),
}

export const AttentionSchema = Type.Object(
  {
    at: Type.String({ description: 'When this was read' }),
    brand: orNull(Text, 'Null: all brands that you can see'),
    waiting: Type.Object(
      { ...counted, oldest_at: orNull(Text, 'When the device that has waited longest sent its request') },
      { ...exactly, description: 'Devices that wait for approval' },
    ),
    quarantined: Type.Object(counted, { ...exactly, description: 'Devices in quarantine' }),
    evidence: Type.Object(counted, { ...exactly, description: 'Devices with evidence of a clone' }),
    brands_without_key: orNull(
      Type.Array(Text),
      'Brands without a key that can sign. Null, here and below: you lack the permission',
    ),
    signing_keys: orNull(
      Type.Array(Type.Object({ key_id: Text, brand_id: Text, name: orNull(Text), ends_at: Text }, exactly)),
      'For each brand, the key that signs for longest, if it expires within 30 days; the first to expire first',
    ),
    api_keys: orNull(
      Type.Array(
        Type.Object(
          { brand_id: Text, model: Text, keys: Type.Integer({ minimum: 1 }), first_ends_at: Text },
          exactly,
        ),
      ),
      'Models with API keys that expire within 30 days, the first to expire first; at most 100',
    ),
    tokens: orNull(
      Type.Object(
        {
          tokens: Type.Integer({ minimum: 0, description: 'At most 10,000' }),
          more: Type.Boolean({ description: 'Whether there are more' }),
          first_ends_at: orNull(Text),
        },
        exactly,
      ),
      'Developer tokens of all accounts that expire within 30 days. Tokens of CI jobs, and those for less than three days, are not counted. Null with a brand',
    ),
    jobs: orNull(
      Type.Integer({ minimum: 0 }),
      'Jobs of the last seven days that failed or were stopped, among the newest 1,000: your own, or all for an operator. Null with a brand',
    ),
    sign_in_links: orNull(
      Type.Array(Type.Object({ username: Text, at: Text }, exactly)),
      'Links of the last seven days that sign in to an account without its password, newest first; at most 10. Null with a brand',
    ),
    set_up: orNull(
      Type.Object({ username: Text, at: Text, address: Text }, exactly),
      'Who set up this installation by a setup link, and from where, if that was in the last seven days. Null with a brand',
    ),
  },
  { title: 'Attention', ...exactly },
)
