/** Messages about refusals of PostgreSQL give the remedy, and never suggest a retry that would fail again. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainFailure } from '../../src/cli/failures/explain-failure.ts'
import { away } from '../../src/database/errors/away.ts'
import { asSuperuser, eachDatabase } from '../support/databases.ts'
import { type Owned, onOwnDatabase } from '../support/own-database.ts'
import { testProgram } from '../support/program.ts'

interface Refusal {
  readonly what: string
  /** Returns statements that a superuser runs in the database. */
  readonly when: (names: Pick<Owned, 'role' | 'database'>) => readonly string[]
  readonly change?: (url: URL) => void
  readonly says: RegExp
}

const REFUSALS: readonly Refusal[] = [
  {
    what: 'a role without permission to connect',
    when: ({ database }) => [`revoke connect on database ${database} from public`],
    says: /permission denied for database .* Run `grant connect on database NAME to ROLE`\.$/m,
  },
  {
    what: 'a role that cannot log in',
    when: ({ role }) => [`alter role ${role} nologin`],
    says: /not permitted to log in\. Correct the user in RATAFIA_DATABASE_URL, and allow it to log in: it needs LOGIN/,
  },
  {
    what: 'a wrong password',
    when: () => [],
    change: (url) => {
      url.password = 'wrong'
    },
    says: /password authentication failed .*\. Correct the user and the password in RATAFIA_DATABASE_URL\.$/m,
  },
  {
    what: 'a database that does not exist',
    when: () => [],
    change: (url) => {
      url.pathname = '/missing'
    },
    says: /"missing" does not exist\. Create it, or correct RATAFIA_DATABASE_URL\.$/m,
  },
  {
    what: 'a role at its connection limit',
    when: ({ role }) => [`alter role ${role} connection limit 0`],
    says: /too many connections for role .* Raise max_connections of PostgreSQL or the connection limit of the role/,
  },
  {
    what: 'a database that accepts no connections',
    when: ({ database }) => [`update pg_database set datallowconn = false where datname = '${database}'`],
    says: /not currently accepting connections\. Let clients connect to it: `alter database NAME allow_connections/,
  },
  {
    what: 'a read-only database',
    when: ({ database }) => [`alter database ${database} set default_transaction_read_only = on`],
    says: /the server accepts no writes: .*\. Name the primary in RATAFIA_DATABASE_URL, .* reset default_transaction_read_only/,
  },
]

eachDatabase((kind, _open, fresh) => {
  if (kind === 'sqlite') return
  const program = testProgram(fresh)
  for (const { what, when, change, says } of REFUSALS) {
    test(`${what}: the message gives the remedy`, async () => {
      await onOwnDatabase(fresh, {}, async ({ role, database, url }) => {
        for (const statement of when({ role, database })) await asSuperuser(statement, `/${database}`)
        change?.(url)
        const { code, stderr } = await program.run('accounts list', {
          environment: { RATAFIA_DATABASE_URL: url.href },
        })
        assert.match(stderr, says)
        assert.doesNotMatch(stderr, /Nothing is lost/)
        assert.equal(code, 3)
      })
    })
  }
})

// Refusals of a running node, and those that need a full disk.
for (const [code, says, message = 'from the server'] of [
  ['53100', /Free space on the disk/],
  ['53200', /more memory/],
  ['53300', /max_connections/],
  ['57P03', /starting or stopping/],
  ['58030', /Look at the server's log/],
  ['55P03', /pg_stat_activity/],
  ['3F000', /search_path/],
  ['EMFILE', /open files/],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', /sslrootcert/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', /sslrootcert/],
  ['42501', /`alter database NAME owner to ROLE`/, 'permission denied for schema public'],
  ['42501', /`grant select, insert, update, delete on all tables/, 'permission denied for table account'],
  ['42501', /`reassign owned by OWNER to ROLE`/, 'must be owner of table account'],
  ['42501', /lacks a privilege/, 'keine Berechtigung'],
] as const) {
  test(`${code} ${message}: the message gives the remedy`, () => {
    const { lines } = explainFailure(away(Object.assign(new Error(message), { code })))
    assert.match(lines.join('\n'), says)
    assert.doesNotMatch(lines.join('\n'), /Nothing is lost/)
  })
}
