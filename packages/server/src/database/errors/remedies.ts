/** Remedies for refusals of the database that trying again would not change. */
import { systemRefusal } from '../../text/system-reason.ts'
import { sqliteCode, sqlState } from './driver-errors.ts'

const CREDENTIALS = 'Correct the user and the password in RATAFIA_DATABASE_URL.'
const CERTIFICATE =
  'In RATAFIA_DATABASE_URL, name the authority of its certificate with sslrootcert, and use the host name in the certificate.'
const READ_ONLY =
  'Name the primary in RATAFIA_DATABASE_URL, or all hosts. If this is the primary, reset default_transaction_read_only of the database and the role.'

/** Remedies by SQLSTATE, or by Node's code of network and TLS errors. Those about files: `system-reason.ts`. */
const REMEDIES: Readonly<Record<string, string>> = {
  '25006': READ_ONLY,
  '28000':
    'Correct the user in RATAFIA_DATABASE_URL, and allow it to log in: it needs LOGIN and a line in pg_hba.conf.',
  '28P01': CREDENTIALS,
  '3D000': 'Create it, or correct RATAFIA_DATABASE_URL.',
  '3F000':
    'Create the schema that search_path names, or set another: `alter role ROLE set search_path = public`.',
  '53100': 'Free space on the disk of the database server, then try again.',
  '53200': 'Give the database server more memory, or set a smaller RATAFIA_DATABASE_POOL.',
  '53300':
    'Raise max_connections of PostgreSQL or the connection limit of the role and the database, or set a smaller RATAFIA_DATABASE_POOL.',
  '55000': 'Let clients connect to it: `alter database NAME allow_connections true`.',
  '55P03':
    'Another transaction holds the lock; pg_stat_activity shows which. End it or wait until it ends, then try again.',
  '57P03': 'The server is starting or stopping. Try again in a moment.',
  '57P04': 'Create it, or correct RATAFIA_DATABASE_URL.',
  '58030': "The database server's disk reports an error. Look at the server's log.",
  '58P01': "A file of the database server is missing. Look at the server's log.",
  ECONNREFUSED: 'Start PostgreSQL, or correct host and port in RATAFIA_DATABASE_URL, and try again.',
  ENOTFOUND: 'Correct the host in RATAFIA_DATABASE_URL, or try again when its name resolves.',
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: CERTIFICATE,
  ERR_TLS_CERT_ALTNAME_INVALID: CERTIFICATE,
  CERT_HAS_EXPIRED: 'Renew the certificate of the database server.',
}

/** Remedies for 42501, by its message. The last row matches any, because messages can be in another language. */
const GRANTS: readonly (readonly [message: RegExp, remedy: string])[] = [
  [
    /permission denied for schema/,
    'Since PostgreSQL 15 only the owner of a database can create tables in it. Run `alter database NAME owner to ROLE`, or `grant usage, create on schema SCHEMA to ROLE`, as its current owner.',
  ],
  [
    /must be owner of/,
    'Migrate with the role that owns the tables, or give them to this one: `reassign owned by OWNER to ROLE`.',
  ],
  [/permission denied for database/, 'Run `grant connect on database NAME to ROLE`.'],
  [
    /permission denied for (table|sequence|view|relation)/,
    'The table belongs to another role. Migrate with the role that serves, or run `grant select, insert, update, delete on all tables in schema SCHEMA to ROLE`.',
  ],
  [
    /./,
    'The user in RATAFIA_DATABASE_URL lacks a privilege. Make it the owner of the database and of its tables.',
  ],
]

/** Remedies for SQLite, by primary result code. */
const SQLITE_REMEDIES: Readonly<Record<number, string>> = {
  3: 'Run this as the user that owns the file.',
  5: 'Another process is writing to it; `fuser` shows which. Wait until it is done, then try again.',
  8: 'Run this as the user that owns the file, on a file system that can be written to.',
  10: 'The disk reports an error. Look at the system log.',
  11: 'The file is damaged. Restore a backup into a new data directory.',
  13: 'Free space on its disk, then try again.',
  14: 'It must be a file that this user can read and write, in a directory of its own (RATAFIA_DATA_DIR).',
  26: 'Restore a backup, or correct RATAFIA_DATA_DIR.',
}

/** Returns the remedy as a sentence; undefined if another attempt may succeed. */
export function remedyOf(error: unknown): string | undefined {
  const sqlite = sqliteCode(error)
  if (sqlite !== undefined) return SQLITE_REMEDIES[sqlite]
  if (!(error instanceof Error)) return undefined
  if (sqlState(error) === '42501') return GRANTS.find(([message]) => message.test(error.message))?.[1]
  if (error.name === 'TakesNoWrites') return READ_ONLY
  if (/does not support SSL connections/.test(error.message)) {
    return 'Turn `ssl` on in PostgreSQL, or leave sslmode out of RATAFIA_DATABASE_URL if you trust the network in between.'
  }
  const known = 'code' in error ? REMEDIES[String(error.code)] : undefined
  return known ?? systemRefusal(error)?.[1].concat('.')
}
