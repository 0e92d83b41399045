/** Makes a database unavailable to the service for a while. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { asSuperuser } from '../../packages/server/test/support/databases.ts'
import type { Installation } from './installation.ts'

/** Makes the database unavailable: PostgreSQL refuses connections, SQLite is locked. Returns the undoing function. */
export async function takeDatabaseAway({ environment }: Installation): Promise<() => Promise<void>> {
  const url = environment['RATAFIA_DATABASE_URL']
  if (url !== undefined) {
    const name = new URL(url).pathname.slice(1)
    await asSuperuser(`alter database ${name} allow_connections false`)
    await asSuperuser(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
    return () => asSuperuser(`alter database ${name} allow_connections true`)
  }
  const held = new DatabaseSync(join(environment['RATAFIA_DATA_DIR'] ?? '', 'ratafia.db'))
  // The service sometimes writes by itself, so the lock may have to wait.
  held.exec('pragma busy_timeout = 5000')
  held.exec('begin immediate')
  return async () => {
    held.exec('rollback')
    held.close()
  }
}
