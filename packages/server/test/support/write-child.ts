/** Adds packages to the database in its first argument (JSON), and prints each name once it is stored. */
import { type DatabaseTarget, openDatabase } from '../../src/database/index.ts'

const { query } = await openDatabase(JSON.parse(process.argv[2] ?? '') as DatabaseTarget)
for (let number = 1; ; number++) {
  const name = `package-${number}`
  await query.insertInto('package').values({ name, snap_id: name }).execute()
  // An endless run of statements on SQLite would starve the write to a full pipe, so this waits for it.
  await new Promise((written) => process.stdout.write(`${name}\n`, written))
}
