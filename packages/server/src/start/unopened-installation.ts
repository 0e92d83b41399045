/** An installation as a backup or a check finds it: only its database is opened. */

import { OPERATOR } from '../accounts/account-fields.ts'
import { auditStore } from '../audit/audit-store.ts'
import { directAuthority } from '../authority.ts'
import { wholeDatabaseStore } from '../backup/whole-database-store.ts'
import type { Author } from '../change.ts'
import { checkupStore } from '../checkup/checkup-store.ts'
import { jobCheckStore } from '../checkup/job-check-store.ts'
import { schemaCheckStore } from '../checkup/schema-check-store.ts'
import { describeDatabase } from '../cli/announcement.ts'
import type { UnopenedInstallation } from '../cli/installation.ts'
import { type Database, inSnapshot, requireCurrentSchema, requireFitDatabase } from '../database/index.ts'
import { sealedValueStore } from '../keyring/sealed-value-store.ts'
import { recordingOn } from './changing.ts'
import { missingPart, openConfigured, operatorOf, requireDatabase } from './open-database.ts'
import type { StartOptions } from './options.ts'

/**
 * Opens the database alone. `needs`: it must exist, or have the schema of this release; with `nothing` an embedded
 * one is made. Throws `ConfigError`, `SchemaError` or `Unavailable`.
 */
export async function openUnopened(
  options: StartOptions,
  needs: 'nothing' | 'database' | 'current-schema',
): Promise<{ readonly installation: UnopenedInstallation; close(): Promise<void> }> {
  const { config, onMade } = options
  if (needs !== 'nothing') requireDatabase(config)
  const missing = missingPart(config)
  const database = await openConfigured(options, { reads: needs !== 'nothing' })
  try {
    // What only reads also gets everything out of a database that is not fit.
    if (needs === 'nothing') await requireFitDatabase(database)
    if (needs === 'current-schema') await requireCurrentSchema(database)
    if (missing !== undefined) onMade?.(missing)
  } catch (error) {
    await database.close()
    throw error
  }
  return {
    installation: unopenedInstallation(database, describeDatabase(config.database), operatorOf(config)),
    close: () => database.close(),
  }
}

function unopenedInstallation(database: Database, location: string, operator: Author): UnopenedInstallation {
  const clock = database.clock.now
  return {
    clock,
    location,
    authority: directAuthority(operator, OPERATOR),
    record: (change) => recordingOn(database, clock, operator).record(change),
    wholeDatabase: wholeDatabaseStore(database, (on) => ({
      ...recordingOn(on, clock, operator),
      sealed: sealedValueStore(on),
    })),
    atOneMoment: (work) =>
      inSnapshot(database, (query) =>
        work({
          rows: checkupStore({ query }),
          jobs: jobCheckStore({ query, kind: database.kind }),
          schema: schemaCheckStore({ query, kind: database.kind }),
          sealed: sealedValueStore({ query }),
          audit: auditStore({ query }),
        }),
      ),
  }
}
