/** Opens only the database of an installation, for a backup or a check. */
import { OPERATOR } from '../accounts/account-fields.ts'
import { directAuthority } from '../authority.ts'
import { wholeDatabaseStore } from '../backup/whole-database-store.ts'
import type { Author } from '../change.ts'
import { checkupStore } from '../checkup/checkup-store.ts'
import { jobCheckStore } from '../checkup/job-check-store.ts'
import { schemaCheckStore } from '../checkup/schema-check-store.ts'
import { describeDatabase } from '../cli/announcement.ts'
import { type Database, inSnapshot, requireCurrentSchema, requireFitDatabase } from '../database/index.ts'
import type { UnopenedInstallation } from '../installation.ts'
import { sealedValueStore } from '../keyring/sealed-value-store.ts'
import { recordingOn } from './changing.ts'
import { missingPart, openConfigured, operatorOf, requireDatabase } from './open-database.ts'
import type { StartOptions } from './options.ts'

/**
 * Opens the database, which must exist or have the current schema, depending on `needs`; with `nothing`, an embedded
 * database is created. Throws `ConfigError`, `SchemaError` or `Unavailable`.
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
    // Reading must also work with an unfit database, to get the data out of it.
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
      inSnapshot(database, async (query) =>
        work({
          rows: checkupStore({ query }),
          jobs: jobCheckStore({ query, kind: database.kind }),
          schema: schemaCheckStore({ query, kind: database.kind }),
          sealed: sealedValueStore({ query }),
          stores: (await import('./stores.ts')).storesOn({ query }),
        }),
      ),
  }
}
