/** Opens and migrates the database in its first argument (JSON), and prints the applied migrations as JSON. */
import { type DatabaseTarget, migrate, openDatabase } from '../../src/database/index.ts'

const database = await openDatabase(JSON.parse(process.argv[2] ?? '') as DatabaseTarget)
process.stdout.write(JSON.stringify(await migrate(database)))
await database.close()
