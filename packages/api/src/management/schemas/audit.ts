/** The wire schemas of the audit log in the management API. */
import { AUDIT_ACTION, STORABLE, UUID_TEXT } from '../../patterns.ts'
import { orNull } from '../../tokens.ts'
import { Type } from '../../type.ts'
import { EXAMINED, exactly, InstantSchema, pageQuery, Text } from './common.ts'

export const AuditEntrySchema = Type.Object(
  {
    seq: orNull(Type.Integer(), 'Its place in the chain; null until it is linked, about a second later'),
    id: Text,
    actor: Text,
    source: Type.String({ description: 'An address, or `command line` and the user who ran the command' }),
    action: Text,
    subject: Text,
    at: Text,
    details: Type.Record(Type.String(), Type.Unknown()),
  },
  { title: 'AuditEntry', ...exactly },
)
export const AuditSchema = Type.Object(
  {
    entries: Type.Array(AuditEntrySchema),
    next: orNull(Text),
    examined: EXAMINED,
  },
  { title: 'AuditEntries', ...exactly },
)

// Our own values are never empty and contain no NUL, and no database accepts one.
const filterText = (description: string) =>
  Type.String({ minLength: 1, maxLength: 600, pattern: STORABLE.pattern, description })

const filters = {
  actor: Type.Optional(
    filterText('`operator`, `service`, `account:USERNAME`, `device-key:ID` or `issuer:URL`'),
  ),
  action: Type.Optional(Type.String({ pattern: AUDIT_ACTION.pattern })),
  subject: Type.Optional(filterText('What was changed: a username, a session, a device, a model, …')),
  since: Type.Optional(InstantSchema),
  until: Type.Optional(InstantSchema),
}

export const AuditQuerySchema = Type.Object(
  {
    ...pageQuery,
    ...filters,
    before: Type.Optional(
      Type.String({
        pattern: UUID_TEXT.pattern,
        description: 'The id of an entry: lists the entries before it',
      }),
    ),
  },
  exactly,
)
export const AuditExportQuerySchema = Type.Object(
  {
    ...filters,
    format: Type.Optional(
      Type.Enum(['ndjson', 'csv'], { type: 'string', description: 'JSON lines if absent' }),
    ),
  },
  exactly,
)

export const VerifyAuditSchema = Type.Object(
  {
    expect: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'The last entry that an earlier verification reported: the log must still contain it',
      }),
    ),
  },
  { title: 'VerifyAudit', additionalProperties: false },
)
