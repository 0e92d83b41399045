/** Implements `ratafia migrate`, which updates the schema or shows the statements. */
import { readSecretKey } from '../config/secret-key.ts'
import { type PlannedMigration, planMigrations, requireFitDatabase } from '../database/index.ts'
import { databaseIsMissing, migrateWithLog, missingPart, openConfigured } from './open-database.ts'
import type { StartOptions } from './options.ts'

/** Returns the migrations that ran. See `migrate` for `partitions`. Throws the errors of `openInstallation`. */
export async function updateSchema(options: StartOptions, partitions = 0): Promise<readonly string[]> {
  const { config, log, onMade = (sentence) => log.info({}, sentence) } = options
  const missing = missingPart(config)
  // Reads or creates the key first, because there must never be a database without its key.
  await readSecretKey(config.secret)
  const database = await openConfigured(options)
  const ran = await requireFitDatabase(database)
    .then(() => migrateWithLog(database, options, partitions))
    .finally(() => database.close())
  if (missing !== undefined) onMade(missing)
  return ran
}

/** Returns the migrations that {@link updateSchema} would run. Changes nothing, and does not create a database. */
export async function planSchema(
  options: StartOptions,
  partitions = 0,
): Promise<readonly PlannedMigration[]> {
  const { config } = options
  const { kind } = config.database
  if (databaseIsMissing(config)) return planMigrations(undefined, kind, { partitions })
  const database = await openConfigured(options, { reads: true })
  return planMigrations(database, kind, { partitions }).finally(() => database.close())
}
