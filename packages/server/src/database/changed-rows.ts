/** Kysely's counts of changed rows, which have a different name for each kind of statement. */
interface Counts {
  readonly numInsertedOrUpdatedRows?: bigint | undefined
  readonly numUpdatedRows?: bigint
  readonly numDeletedRows?: bigint
  readonly numAffectedRows?: bigint
}

/** Whether an `insert … on conflict`, `update` or `delete` changed a row. */
export const anyRowChanged = (counts: Counts): boolean =>
  (counts.numInsertedOrUpdatedRows ??
    counts.numUpdatedRows ??
    counts.numDeletedRows ??
    counts.numAffectedRows ??
    0n) > 0n
