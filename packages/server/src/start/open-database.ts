/** Opens the database that the configuration names, and brings its schema up to date in the operator's name. */
import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { OPERATOR } from '../accounts/account-fields.ts'
import type { Author } from '../change.ts'
import { type Config, ConfigError } from '../config/config.ts'
import { prepareDataDirectory } from '../config/data-directory.ts'
import { requireTlsFiles } from '../config/postgres-tls-files.ts'
import { type Database, migrate, openDatabase, schemaState } from '../database/index.ts'
import { observeDatabase, type Telemetry } from '../telemetry/telemetry.ts'
import { recordingOn } from './changing.ts'
import type { StartOptions } from './options.ts'

/** Whether opening would make an embedded database. */
export function databaseIsMissing({ database }: Config): boolean {
  return database.kind === 'sqlite' && !existsSync(database.file)
}

/** Throws `ConfigError` that says where the embedded database would be, and what makes one. */
export function requireDatabase(config: Config): void {
  if (config.database.kind !== 'sqlite' || !databaseIsMissing(config)) return
  throw new ConfigError(
    `RATAFIA_DATA_DIR: there is no database ${config.database.file}. If there should be one, run the command where it ` +
      'is, or set RATAFIA_DATA_DIR or RATAFIA_DATABASE_URL; `ratafia migrate` or `ratafia serve` makes a new one. ' +
      'Many commands also work on a service elsewhere: give --url, or set RATAFIA_URL.',
  )
}

/** A sentence about what opening the installation is about to make; undefined if all of it is there. */
export function missingPart({ database, secret }: Config): string | undefined {
  if (database.kind !== 'sqlite' || existsSync(database.file)) return undefined
  const key = secret.from === 'file' && !existsSync(secret.file) ? ` and its secret key ${secret.file}` : ''
  return `Made the database ${database.file}${key}.`
}

/** Throws `ConfigError` or `Unavailable`. `telemetry` observes every statement; the log hears of long waits. */
export async function openConfigured(
  { config: { database, dataDirectory }, log }: Pick<StartOptions, 'config' | 'log'>,
  telemetry?: Telemetry,
): Promise<Database> {
  if (database.kind === 'sqlite') await prepareDataDirectory(dataDirectory)
  await requireTlsFiles(database)
  const system = database.kind === 'sqlite' ? 'sqlite' : 'postgresql'
  return openDatabase(database, telemetry && observeDatabase(telemetry, system), (wait) => log.warn(wait))
}

/**
 * Returns the names of the migrations that ran; the audit log has them too. `partitions`: as `migrate` takes it.
 */
export async function migrateWithLog(
  database: Database,
  { config, log, clock = database.clock.now }: StartOptions,
  partitions = 0,
): Promise<readonly string[]> {
  // A start that finds nothing to do must not wait for a lock. A process that migrates at this moment is noticed later,
  // as by nodes that run.
  const state = partitions > 0 ? undefined : await schemaState(database)
  if (state === 'current' || state === 'newer') return []
  const ran = await migrate(database, {
    partitions,
    also: (query, migrations) =>
      recordingOn({ query }, clock, operatorOf(config)).record({
        action: 'schema.migrate',
        subject: migrations.at(-1) ?? '',
        details: { migrations },
      }),
  })
  if (ran.length > 0) log.info({ migrations: ran }, 'brought the database up to date')
  return ran
}

/** Who runs this process, and who called sudo, as far as the system knows. */
export function operatorOf({ sudoUser }: Config): Author {
  const before = sudoUser === undefined ? '' : `, sudo by ${sudoUser}`
  return { actor: OPERATOR, source: `command line, ${systemUser()}${before}` }
}

function systemUser(): string {
  try {
    const { uid, username } = userInfo()
    return `${uid} ${username}`
  } catch {
    // In a container a user may have a number and no name.
    return String(process.getuid?.() ?? 'unknown user')
  }
}
