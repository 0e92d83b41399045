/** The package directory, and how the service is. */
import { Type } from '../../type.ts'
import { exactly, page, Text } from './common.ts'

export const PackageSchema = Type.Object({ name: Text, snap_id: Text }, { title: 'Package', ...exactly })
export const PackagesSchema = page('Packages', 'packages', PackageSchema)

export const StatusSchema = Type.Object(
  {
    release: Type.String({ description: 'Of the node that answers' }),
    findings: Type.Array(
      Type.Object(
        {
          part: Type.String({
            description: '`schema`, `jobs`, `keys`, … : there may be others in a newer release',
          }),
          state: Type.Enum(['ok', 'attention', 'unknown'], {
            type: 'string',
            description: '`unknown`: it cannot be seen from the service, which is no fault',
          }),
          says: Type.String({ description: 'A sentence, with what to do if it needs attention' }),
        },
        { title: 'Finding', ...exactly },
      ),
    ),
  },
  { title: 'Status', ...exactly },
)
