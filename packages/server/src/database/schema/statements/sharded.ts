/** Tables with a row for each device, which PostgreSQL can divide into partitions by the hash of one column. */
import type { Words } from '../../differences.ts'

interface ShardedTable {
  readonly name: string
  /** The column that divides it, part of every primary key, unique constraint and foreign key of the table. */
  readonly by: string
  /** Columns and constraints, as in `create table`. */
  readonly columns: string
}

/** Returns the statements that create the table, with its partitions. */
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
