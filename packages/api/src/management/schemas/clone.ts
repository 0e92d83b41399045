/** The wire schemas of evidence of clones, for all devices. */
import { BRAND_AND_MODEL } from '../../patterns.ts'
import { orNull } from '../../tokens.ts'
import { Type } from '../../type.ts'
import { BrandSchema, exactly, InstantSchema, pageQuery, several, Text } from './common.ts'
import { CloneKindSchema, DEVICE_STATUS_NAMES } from './device.ts'

export const CloneEvidenceQuerySchema = Type.Object(
  {
    ...pageQuery,
    kind: Type.Optional(several(CloneKindSchema)),
    brand: Type.Optional(several(BrandSchema)),
    model: Type.Optional(several(Type.String({ pattern: BRAND_AND_MODEL.pattern }), 'BRAND/MODEL')),
    since: Type.Optional(InstantSchema),
  },
  exactly,
)
export const CloneEvidenceSchema = Type.Object(
  {
    device_id: Text,
    brand_id: Text,
    model: Text,
    serial: orNull(Text),
    status: Type.Enum([...DEVICE_STATUS_NAMES], { type: 'string' }),
    quarantined_at: orNull(Text),
    kind: CloneKindSchema,
    subject: Type.String({ description: 'The other chain of sessions, or the other key' }),
    times: Type.Integer(),
    first_seen_at: Text,
    last_seen_at: Text,
    details: Type.Record(Type.String(), orNull(Text)),
  },
  { title: 'CloneEvidence', ...exactly },
)
export const CloneEvidenceListSchema = Type.Object(
  {
    evidence: Type.Array(CloneEvidenceSchema),
    next: orNull(Text),
    examined: Type.Optional(
      Type.Integer({
        description:
          'Set on a short page: this many devices were read, and there are more. Continue with `next`.',
      }),
    ),
  },
  { title: 'CloneEvidenceList', ...exactly },
)
