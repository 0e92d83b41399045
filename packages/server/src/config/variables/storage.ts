/** The variables of storage: the database, the secret keys, and how long rows are kept. */

import { parsePostgresUrl, parsePostgresUrlFile } from '../parse-postgres-url.ts'
import { optional, row } from '../row.ts'
import { parseCount, parseFilePath, parseRetention, parseSecretKey } from '../values.ts'

export const STORAGE_VARIABLES = {
  RATAFIA_DATA_DIR: row({
    default: './data',
    meaning: 'Directory of the embedded database and its secret key',
    parse: parseFilePath,
  }),
  RATAFIA_DATABASE_URL: optional({
    default: 'none: SQLite in the data directory',
    meaning:
      '`postgres://…`: use this PostgreSQL instead. With several hosts, separated by commas, the service uses the one that accepts writes',
    parse: parsePostgresUrl,
  }),
  RATAFIA_DATABASE_URL_FILE: optional({
    default: 'none',
    meaning: 'File with that URL, instead of RATAFIA_DATABASE_URL',
    parse: parsePostgresUrlFile,
  }),
  RATAFIA_DATABASE_POOL: row({
    default: '10',
    meaning:
      'Maximum number of PostgreSQL connections in the pool of a process, which opens two more besides the pool',
    parse: parseCount,
  }),
  RATAFIA_DATABASE_LISTEN_URL: optional({
    default: 'RATAFIA_DATABASE_URL',
    meaning: 'Direct URL of the same PostgreSQL for LISTEN, if RATAFIA_DATABASE_URL points at PgBouncer',
    parse: parsePostgresUrl,
  }),
  RATAFIA_SECRET_KEY: optional({
    default: 'none: created in the data directory (SQLite only)',
    meaning: '32 bytes in base64 or hex that seal every key in the database; required with PostgreSQL',
    parse: parseSecretKey,
  }),
  RATAFIA_SECRET_KEY_FILE: optional({
    default: 'none',
    meaning: 'File with the secret key, instead of RATAFIA_SECRET_KEY',
    parse: parseFilePath,
  }),
  RATAFIA_PREVIOUS_SECRET_KEY: optional({
    default: 'none',
    meaning:
      'The old secret key while you change it (`ratafia secret rotate`). It opens what it sealed, but seals nothing new',
    parse: parseSecretKey,
  }),
  RATAFIA_PREVIOUS_SECRET_KEY_FILE: optional({
    default: 'none',
    meaning: 'File with the old secret key, instead of RATAFIA_PREVIOUS_SECRET_KEY. The file can be missing',
    parse: parseFilePath,
  }),
  RATAFIA_RETENTION_TOKEN_SESSIONS: row({
    default: '90d',
    meaning:
      'How long to keep a session after it expires, revoked or not; at least a day, and 1h for all other retentions',
    parse: parseRetention,
  }),
  RATAFIA_RETENTION_DEVICE_SESSIONS: row({
    default: '30d',
    meaning: 'How long to keep a device session after it expires',
    parse: parseRetention,
  }),
  RATAFIA_RETENTION_REGISTRATIONS: row({
    default: '90d',
    meaning: 'How long to keep the address that a device registered from, once its registration is decided',
    parse: parseRetention,
  }),
  RATAFIA_RETENTION_WAITING_DEVICES: row({
    default: '14d',
    meaning:
      'How long a device can wait for approval before it is removed; a device that still exists then asks again',
    parse: parseRetention,
  }),
  RATAFIA_RETENTION_CLONE_EVIDENCE: row({
    default: '365d',
    meaning:
      'How long to keep evidence of clones after it was last seen; at least RATAFIA_RETENTION_DEVICE_SESSIONS',
    parse: parseRetention,
  }),
  RATAFIA_RETENTION_JOBS: row({
    default: '30d',
    meaning: 'How long to keep jobs of the management API after they were created, once they have finished',
    parse: parseRetention,
  }),
  RATAFIA_RETENTION_COUNTERS: row({
    default: '400d',
    meaning: 'How long to keep hourly and daily counters; `ratafia counters --period 12mo` shows a year',
    parse: parseRetention,
  }),
  RATAFIA_RETENTION_AUDIT: optional({
    default: 'none: forever',
    meaning: 'How long to keep entries of the audit log',
    parse: parseRetention,
  }),
} as const
