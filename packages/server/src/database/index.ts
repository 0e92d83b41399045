/** The database's interface for the rest of the server. */
export { inBatches, inBatchesOf } from './batches.ts'
export { announce, announceAnything, changeAnnounced } from './changes/announce.ts'
export type { CacheFreshness } from './changes/cache-freshness.ts'
export { createMemory } from './changes/memory.ts'
export { openCacheFreshness } from './changes/open-cache-freshness.ts'
export { CHANGE_KINDS, type ChangeKind } from './changes/row-change.ts'
export { compiledOnce, type Values } from './compiled-once.ts'
export { anyRowChanged, countUpTo } from './counts.ts'
export { type Database, type DatabaseTarget, openDatabase, type SqliteAccess } from './database.ts'
export {
  asciiLower,
  byteOrder,
  contains,
  databaseNow,
  insertsInWith,
  joinFew,
  joinOne,
  jsonOf,
  rowLock,
} from './dialects/expressions.ts'
export { insertMany } from './dialects/insert-many.ts'
export { insertRecorded, type NewAuditEntry } from './dialects/insert-recorded.ts'
export { listed, listOf } from './dialects/listed.ts'
export { devicesByParts } from './dialects/serial-parts.ts'
export type { DatabaseKind } from './differences.ts'
export { isReferenceViolation, isRefusedValue, isUniqueViolation } from './errors/refusals.ts'
export { fromInstant, toInstant } from './instant.ts'
export { requireFitDatabase } from './postgres/traits.ts'
export { removeBefore } from './remove-before.ts'
export type * from './schema/account-tables.ts'
export { isUnreleased, lockSchema, migrationsDone, prepareSchemaLock } from './schema/bookkeeping.ts'
export {
  describeTables,
  distributedTables,
  presentColumns,
  presentConstraints,
  presentIndexes,
  presentTables,
  presentTriggers,
  referencesOf,
  type Table,
} from './schema/catalogue.ts'
export { migrate, migrateTo, type PlannedMigration, planMigrations } from './schema/migrate.ts'
export {
  columnNames,
  constraintNames,
  indexNames,
  tableNames,
  triggerNames,
} from './schema/migrated-names.ts'
export type { Migration } from './schema/migration.ts'
export { migrations } from './schema/migrations/index.ts'
export { isReminded, isRemindedKey } from './schema/reminded.ts'
export type * from './schema/schema.ts'
export { requireCurrentSchema, schemaState } from './schema/schema-state.ts'
export { inSnapshot, inTransaction } from './transaction.ts'
