import type { Migration } from '../migration.ts'
import { accounts } from './0001-schema/accounts.ts'
import { announcements } from './0001-schema/announcements.ts'
import { audit } from './0001-schema/audit.ts'
import { brands } from './0001-schema/brands.ts'
import { devices } from './0001-schema/devices.ts'
import { keys } from './0001-schema/keys.ts'
import { management } from './0001-schema/management.ts'
import { tokens } from './0001-schema/tokens.ts'

/**
 * The schema of the first release. A table comes after those it refers to. Constraints, including primary
 * keys, are named `<table>_<column>_key`, so that `isUniqueViolation(error, 'table.column')` recognises each
 * on both databases.
 */
export const schema: Migration = {
  name: '0001-schema',
  statements: (words) =>
    [keys, accounts, tokens, brands, devices, management, audit, announcements].flatMap((part) =>
      part(words),
    ),
}
