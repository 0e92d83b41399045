/** Opens the database that the configuration names, and brings its schema up to date in the operator's name. */
import { accessSync, constants, existsSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { OPERATOR } from '../accounts/account-fields.ts'
import type { Author } from '../change.ts'
import { type Config, ConfigError } from '../config/config.ts'
import { prepareDataDirectory } from '../config/data-directory.ts'
import { requireTlsFiles } from '../config/tls/postgres-tls-files.ts'
import { type Database, migrate, openDatabase, type SqliteAccess, schemaState } from '../database/index.ts'
import { observeDatabase, type Telemetry } from '../telemetry/telemetry.ts'
import { systemReason } from '../text/system-reason.ts'
import { recordingOn } from './changing.ts'
import type { StartOptions } from './options.ts'

/** Checks whether opening would create an embedded database. Throws `ConfigError` if this user cannot read it. */
export function databaseIsMissing({ database }: Config): boolean {
  if (database.kind !== 'sqlite') return false
  try {
    accessSync(database.file, constants.R_OK)
    return false
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return true
    throw new ConfigError(
      `RATAFIA_DATA_DIR: the database ${database.file} cannot be read: ${systemReason(error)}. Run this as the user that ` +
        'runs the service, for example with `sudo -u`.',
      { cause: error },
    )
  }
}

/** Throws `ConfigError` if the embedded database is missing. The message shows its path and how to create it. */
export function requireDatabase(config: Config): void {
  if (config.database.kind !== 'sqlite' || !databaseIsMissing(config)) return
  throw new ConfigError(
    `RATAFIA_DATA_DIR: there is no database ${config.database.file}. If there should be one, run the command where it ` +
      'is, or set RATAFIA_DATA_DIR or RATAFIA_DATABASE_URL; `ratafia migrate` or `ratafia serve` creates a new one. ' +
      'Many commands also work on a service elsewhere: pass --url, or set RATAFIA_URL.',
  )
}

/** Returns a sentence about the files that opening the installation will create; undefined if none are missing. */
export function missingPart(config: Config): string | undefined {
  const { database, secret } = config
  if (database.kind !== 'sqlite' || !databaseIsMissing(config)) return undefined
  const key = secret.from === 'file' && !existsSync(secret.file) ? ` and its secret key ${secret.file}` : ''
  return `Created the database ${database.file}${key}.`
}

interface OpenOptions {
  /** Observes every statement. */
  readonly telemetry?: Telemetry | undefined
  /** Also opens an embedded database that this user cannot write to, or that is on a read-only file system. */
  readonly reads?: boolean
}

/** Opens the database, and logs long waits. Throws `ConfigError` or `Unavailable`. */
export async function openConfigured(
  { config: { database, dataDirectory }, log }: Pick<StartOptions, 'config' | 'log'>,
  { telemetry, reads = false }: OpenOptions = {},
): Promise<Database> {
  await requireTlsFiles(database)
  const system = database.kind === 'sqlite' ? 'sqlite' : 'postgresql'
  const observer = telemetry && observeDatabase(telemetry, system)
  const onWait = (wait: string) => log.warn(wait)
  if (database.kind === 'postgres') return openDatabase(database, observer, onWait)
  const possible = reads ? await accessTo(database.file) : 'write'
  if (possible === 'write') await prepareDataDirectory(dataDirectory)
  return openDatabase({ ...database, access: possible }, observer, onWait)
}

/** Returns how this process can access the file of an embedded database and its directory, which has further files. */
async function accessTo(file: string): Promise<SqliteAccess> {
  try {
    await access(dirname(file), constants.W_OK | constants.X_OK)
    await access(file, constants.W_OK)
    return 'write'
  } catch (error) {
    // On a read-only file system, no other process can write either.
    const isStill = (error as NodeJS.ErrnoException).code === 'EROFS' && !existsSync(`${file}-wal`)
    return isStill ? 'read-still' : 'read'
  }
}

/** Returns the names of the migrations that ran, which the audit log also records. See `migrate` for `partitions`. */
export async function migrateWithLog(
  database: Database,
  { config, log, clock = database.clock.now }: StartOptions,
  partitions = 0,
): Promise<readonly string[]> {
  // A start without migrations must not wait for a lock. A process that is migrating now is noticed later, as by
  // running nodes.
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

/** Returns the user who runs this process, and the one who called sudo, as far as the system knows. */
export function operatorOf({ sudoUser }: Config): Author {
  const before = sudoUser === undefined ? '' : `, sudo by ${sudoUser}`
  return { actor: OPERATOR, source: `command line, ${systemUser()}${before}` }
}

function systemUser(): string {
  try {
    const { uid, username } = userInfo()
    return `${uid} ${username}`
  } catch {
    // In a container, a user can have a number without a name.
    return String(process.getuid?.() ?? 'unknown user')
  }
}
