/** The variables of administration over HTTP. */
import { optional, row } from '../row.ts'
import { oneOf, parseManagementLifetime, parseProxies } from '../values.ts'

export const MANAGEMENT_VARIABLES = {
  RATAFIA_MANAGEMENT: row({
    default: 'on',
    meaning: '`on`: serve the management API at `/api/management/v1`; `off`: answer 404 there',
    parse: oneOf('on', 'off'),
  }),
  RATAFIA_MANAGEMENT_FROM: optional({
    default: 'none: from anywhere',
    meaning:
      'Comma-separated addresses or CIDR blocks that the management API may be used from; others get 404 there',
    parse: parseProxies,
  }),
  RATAFIA_MANAGEMENT_LIFETIME: row({
    default: '8h',
    meaning: 'Lifetime of a management token whose request names none, from 1m to 24h. It is not renewed',
    parse: parseManagementLifetime,
  }),
} as const
