/** `ratafia backup`, `restore` and `import database`, for the whole database. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createGzip } from 'node:zlib'
import type { Command } from 'commander'
import type { Restored } from '../../backup/restore.ts'
import type { CheckResult } from '../../checkup/run-checks.ts'
import { systemClock } from '../../clock.ts'
import type { UnopenedInstallation } from '../../installation.ts'
import { type Consequence, confirmTyped, requireYes, withYes } from '../confirm.ts'
import { type CommandContext, type CommonOptions, FileError } from '../context.ts'
import { type LocalFile, withLocalFile } from '../files/local-file.ts'
import { writeWhole } from '../files/write-whole.ts'
import { cannotBeRead } from '../files.ts'
import { readAgo } from '../option-values.ts'
import { counted, note, print, withJson } from '../output.ts'
import { withProgress } from '../progress.ts'
import { reportOf, requireNoFaults, verifyUnopened } from './verify.ts'

const BACKUP_HELP = `
The file has the same format for SQLite and PostgreSQL, and \`ratafia restore\` accepts it for either. Nodes can keep
writing: the file contains the database as it was at one moment. Keys in it stay sealed, so also keep the secret key,
somewhere else. The secret key also seals the file itself: \`ratafia restore\` refuses a file that was changed.`

const RESTORE_HELP = `
The database must be new or empty. Stop the nodes that use it. The command restores the whole file or nothing.
The secret key must be the one that sealed the backup, so restore it first.
A backup contains no later changes: tokens, API keys and devices that you revoked after it are valid again. Revoke
them again. --revoke-sessions-since revokes every session opened since a time; with 1970-01-01, all of them.`

export function backupCommands(parent: Command, context: CommandContext): void {
  withJson(parent.command('backup <file>'))
    .alias('export')
    .description('write the whole database to a file, while nodes serve')
    .option('--force', 'replace the file if it exists')
    .option('--unsealed', 'work without the secret key; a restore then also requires --unsealed')
    .addHelpText('after', BACKUP_HELP)
    .action((file: string, options: BackupOptions) => writeBackup(file, options, context))
  restoreCommand(parent.command('restore <file>'), context).description(
    'restore a backup into a new SQLite or PostgreSQL database',
  )
}

/** `ratafia import database`: the other half of `ratafia export`. */
export function importDatabaseCommand(imports: Command, context: CommandContext): void {
  restoreCommand(imports.command('database <file>'), context).description(
    'import a file from `ratafia export` into a new SQLite or PostgreSQL database; the same as `ratafia restore`',
  )
}

interface BackupOptions extends CommonOptions {
  readonly force?: boolean
  readonly unsealed?: boolean
}

interface RestoreOptions extends CommonOptions {
  readonly verify?: boolean
  readonly dryRun?: boolean
  readonly replace?: boolean
  readonly unsealed?: boolean
  readonly revokeSessionsSince?: string
}

function restoreCommand(command: Command, context: CommandContext): Command {
  return withYes(withJson(command))
    .option('--dry-run', 'check that the file is complete, and change nothing')
    .option('--verify', 'check everything afterwards, as `ratafia verify` does')
    .option('--replace', 'first delete everything in the database; scripts must also pass --yes')
    .option('--unsealed', 'accept a backup without a seal, which anyone may have changed')
    .option(
      '--revoke-sessions-since <time>',
      'revoke sessions opened since this time, such as 2027-01-31T09:30:00Z or 2h',
    )
    .addHelpText('after', RESTORE_HELP)
    .action((file: string, options: RestoreOptions) =>
      withLocalFile(file, context.streams, (local) => restoreFrom(local, options, context)),
    )
}

async function writeBackup(file: string, options: BackupOptions, context: CommandContext): Promise<void> {
  const { backUp } = await import('../../backup/back-up.ts')
  if ((await isThere(file)) && !options.force) {
    throw new FileError(`${file} already exists. Give another name, or pass --force.`)
  }
  const totals = await context.withUnopenedInstallation('database', async (unopened) => {
    const { wholeDatabase, clock, record } = unopened
    const sealer = options.unsealed ? undefined : await context.openSealer()
    const written = await withProgress(context.streams, ['Backing up', 'rows'], (onProgress) =>
      backUp(
        { write: (text) => writeWhole(text, file, { secret: true, through: createGzip() }), onProgress },
        { wholeDatabase, sealer, release: context.release, madeAt: clock() },
      ),
    )
    // A standby accepts no entry, nor does the schema of an old release, but a backup works with both.
    await record({ action: 'database.backup', subject: 'database', details: { ...written } }).catch(() =>
      note(
        context.streams,
        'This backup could not be recorded in the audit log, so `ratafia status` will not show it.',
      ),
    )
    return written
  })
  const told = `Wrote ${counted(totals.rows, 'row')} of ${totals.tables} tables to ${file}. Its keys and stored responses can be opened only with the secret key, so keep that key elsewhere.`
  print(context, options, { ...totals, file }, told)
}

async function restoreFrom(
  { name: file, path, size }: LocalFile,
  options: RestoreOptions,
  context: CommandContext,
): Promise<void> {
  const { checkBackup, restore } = await import('../../backup/restore.ts')
  const sinceAt = (now: Date) => readAgo('--revoke-sessions-since', options.revokeSessionsSince, now)
  // Refuses an unreadable time before anything is opened.
  sinceAt(systemClock())
  const opening = (onProgress: (done: number, total: number) => void) =>
    async function* () {
      let read = 0
      try {
        for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
          yield chunk
          read += chunk.length
          onProgress(Math.ceil(read / 1024), Math.ceil(size / 1024))
        }
      } catch (error) {
        // Errors about the content of the file also arrive here.
        const failure = error as NodeJS.ErrnoException
        throw failure.syscall === undefined ? error : cannotBeRead(file, failure)
      }
    }
  if (options.dryRun) {
    const found = await withProgress(context.streams, ['Reading', 'KiB'], (onProgress) =>
      checkBackup(opening(onProgress)),
    )
    const told = `${file} is complete: ${counted(found.rows, 'row')} of ${found.tables} tables, from ${found.madeAt} (${found.database}).${found.sealed ? '' : ' It has no seal, so anyone may have changed it.'}`
    const { sealed } = found
    return print(context, options, { dry_run: true, ...documentOf(found), sealed, file }, told)
  }
  if (options.replace) requireYes(context, options)
  const sealer = await context.openSealer()
  const { restored, results } = await context.withUnopenedInstallation('nothing', async (unopened) => {
    const { wholeDatabase, clock, authority } = unopened
    const { replace = false, unsealed = false } = options
    if (replace) await confirmTyped(context, options, () => whatIsReplaced(unopened, file))
    const done = await withProgress(context.streams, ['Restoring', 'KiB'], (onProgress) =>
      restore(
        { open: opening(onProgress), replace, unsealed, revokeSessionsSince: sinceAt(clock()) },
        { wholeDatabase, sealer, now: clock(), authority },
      ),
    )
    return {
      restored: done,
      results: options.verify ? await verifyUnopened(unopened, sealer, context) : undefined,
    }
  })
  const { revokedSessions: revoked_sessions, unreadable } = restored
  const document = { ...documentOf(restored), revoked_sessions, unreadable, file }
  print(
    context,
    options,
    { ...document, ...(results && { checks: results }) },
    restoredText(restored, results),
  )
  note(
    context.streams,
    `Credentials and devices revoked after ${restored.madeAt} are valid again. Revoke them again (docs/operations/secrets-and-backup.md).`,
  )
  if (unreadable.length > 0) {
    note(
      context.streams,
      `None of the configured secret keys opens ${unreadable.join(', ')}. If the key was being changed during the backup, also set the other key.`,
    )
  }
  if (results) requireNoFaults(results)
}

async function whatIsReplaced(
  { wholeDatabase, location }: UnopenedInstallation,
  file: string,
): Promise<Consequence> {
  const sizes = await wholeDatabase.read(async ({ tables, measure }) => Promise.all(tables.map(measure)))
  const rows = sizes.reduce((sum, size) => sum + size.rows, 0)
  const told = `This permanently deletes everything in the database (${location}), ${counted(rows, 'row')}, and replaces it with the content of ${file}.`
  return { told, type: rows }
}

function documentOf(found: Omit<Restored, 'revokedSessions' | 'unreadable'>) {
  const { rows, tables, madeAt: made_at, database: made_on } = found
  return { rows, tables, made_at, made_on }
}

function restoredText(restored: Restored, results: readonly CheckResult[] | undefined): string {
  const { rows, tables, madeAt, revokedSessions } = restored
  return [
    `Restored ${counted(rows, 'row')} of ${tables} tables, as they were at ${madeAt}.`,
    ...(revokedSessions > 0 ? [`Revoked ${counted(revokedSessions, 'session')}.`] : []),
    ...(results ? [reportOf(results)] : []),
  ].join('\n')
}

async function isThere(file: string): Promise<boolean> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw cannotBeRead(file, error)
  })
  if (found && !found.isFile()) throw new FileError(`${file} is not a file.`)
  return found !== undefined
}
