/** What the rest of the server uses of the database. */
export { type Database, type DatabaseTarget, openDatabase } from './database.ts'
export type { DatabaseKind } from './differences.ts'
export { fromInstant, toInstant } from './instant.ts'
export { migrate, requireCurrentSchema } from './migrate.ts'
export type * from './schema.ts'
export { SchemaError } from './schema-error.ts'
export { inTransaction } from './transaction.ts'
export { isUniqueViolation } from './unique-violation.ts'
