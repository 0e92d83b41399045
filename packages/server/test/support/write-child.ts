/** A process that adds packages to the database given as its first argument (JSON) and prints each name once stored. */
import { type DatabaseTarget, openDatabase } from '../../src/database/index.ts'

const { query } = await openDatabase(JSON.parse(process.argv[2] ?? '') as DatabaseTarget)
for (let number = 1; ; number++) {
  const name = `package-${number}`
  await query.insertInto('package').values({ name, snap_id: name }).execute()
  // Waits: while a full pipe is not read, an endless run of statements on SQLite would starve the write.
  await new Promise((written) => process.stdout.write(`${name}\n`, written))
}
