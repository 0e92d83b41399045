/** Tables with a row for each device: PostgreSQL can divide them into partitions, by the hash of one column. */
import type { Words } from '../../differences.ts'

interface ShardedTable {
  readonly name: string
  /** In every primary key, unique constraint and foreign key of the table. */
  readonly by: string
  /** Columns and constraints, as in `create table`. */
  readonly columns: string
}

/** The statements that make the table, with its partitions. */
export function shardedTable(
  { name, by, columns }: ShardedTable,
  { strict, partitions }: Words,
): readonly string[] {
  if (partitions === 0) return [`create table ${name} (${columns})${strict}`]
  return [
    `create table ${name} (${columns}) partition by hash (${by})`,
    ...Array.from(
      { length: partitions },
      (_, remainder) =>
        `create table ${name}_${remainder} partition of ${name}
          for values with (modulus ${partitions}, remainder ${remainder})`,
    ),
  ]
}
