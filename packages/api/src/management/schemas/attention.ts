/** What waits for somebody, as the overview of the console shows it. */
import { orNull } from '../../tokens.ts'
import { Type } from '../../type.ts'
import { BrandSchema, exactly, Text } from './common.ts'

export const AttentionQuerySchema = Type.Object({ brand: Type.Optional(BrandSchema) }, exactly)

/** Counted up to a limit. */
const counted = {
  devices: Type.Integer({ minimum: 0, description: 'At most 10,000' }),
  more: Type.Boolean({ description: 'There are more' }),
}

export const AttentionSchema = Type.Object(
  {
    at: Type.String({ description: 'When it was looked at' }),
    brand: orNull(Text, 'Null: all that you may see'),
    waiting: Type.Object(
      { ...counted, oldest_at: orNull(Text, 'When the device asked that has waited longest') },
      { ...exactly, description: 'Devices that wait for approval' },
    ),
    quarantined: Type.Object(counted, { ...exactly, description: 'Devices in quarantine' }),
    evidence: Type.Object(counted, { ...exactly, description: 'Devices with evidence of a clone' }),
    brands_without_key: orNull(
      Type.Array(Text),
      'Brands of which no key can sign. Null: not yours to see, as below',
    ),
    signing_keys: orNull(
      Type.Array(Type.Object({ key_id: Text, brand_id: Text, name: orNull(Text), ends_at: Text }, exactly)),
      'Of each brand the key that signs for longest, if it ends within 30 days: the next one first',
    ),
    api_keys: orNull(
      Type.Array(
        Type.Object(
          { brand_id: Text, model: Text, keys: Type.Integer({ minimum: 1 }), first_ends_at: Text },
          exactly,
        ),
      ),
      'Models with API keys that end within 30 days, the next one first; at most 100',
    ),
    tokens: orNull(
      Type.Object(
        {
          tokens: Type.Integer({ minimum: 0, description: 'At most 10,000' }),
          more: Type.Boolean({ description: 'There are more' }),
          first_ends_at: orNull(Text),
        },
        exactly,
      ),
      'Developer tokens of all accounts that end within 30 days. Those of CI jobs, and of less than three days, are not counted. Null with a brand',
    ),
    jobs: orNull(
      Type.Integer({ minimum: 0 }),
      'Jobs of the last seven days that failed or were stopped, of the newest 1,000: your own, or for an operator all. Null with a brand',
    ),
    sign_in_links: orNull(
      Type.Array(Type.Object({ username: Text, at: Text }, exactly)),
      'Links of the last seven days that sign in to an account without its password, newest first; at most 10. Null with a brand',
    ),
  },
  { title: 'Attention', ...exactly },
)
