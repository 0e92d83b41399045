/** The PostgreSQL server of a run, which writes to the disk, counts its statements, and runs on the other core. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Postgres } from '../../faults/world/postgres.ts'

let running: Promise<Postgres> | undefined

/** Returns the run's server, and starts it when the first work asks for it. */
export function sharedPostgres(directory: string): Promise<Postgres> {
  running ??= start(join(directory, 'postgres'))
  return running
}

export async function stopPostgres(): Promise<void> {
  await (await running)?.stop()
  running = undefined
}

export const databaseVersion = async (): Promise<string | undefined> => {
  const [row] = (await (await running)?.query('show server_version')) ?? []
  return row && String(row['server_version'])
}

async function start(directory: string): Promise<Postgres> {
  mkdirSync(join(directory, '..'), { recursive: true })
  const postgres = await Postgres.start(directory)
  // `all` also counts the statements of triggers.
  await postgres.restart(['shared_preload_libraries=pg_stat_statements', 'pg_stat_statements.track=all'])
  await postgres.query('create extension pg_stat_statements')
  return postgres
}

/** Returns how many statements a database has executed so far. */
export async function statementsIn(postgres: Postgres, database: string): Promise<number> {
  const [row] = await postgres.query(`select coalesce(sum(calls), 0)::float8 as calls
    from pg_stat_statements join pg_database on pg_database.oid = dbid
    where datname = '${database}'`)
  return Number(row?.['calls'])
}
