/** A process that opens the database given as its first argument (JSON), migrates it and prints what ran, as JSON. */
import { type DatabaseTarget, migrate, openDatabase } from '../../src/database/index.ts'

const database = await openDatabase(JSON.parse(process.argv[2] ?? '') as DatabaseTarget)
process.stdout.write(JSON.stringify(await migrate(database)))
await database.close()
