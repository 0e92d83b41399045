/** Creates an installation to measure: a database with people, models and trust roots; the service's environment. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Scene } from '../../faults/load/scene.ts'
import { commandOf } from '../../faults/world/command.ts'
import type { Postgres } from '../../faults/world/postgres.ts'
import { thisRelease } from '../../faults/world/release.ts'
import { setUp } from '../../faults/world/set-up.ts'
import { freePort } from '../../tools/test/free-port.ts'
import { sharedPostgres } from './postgres.ts'

export type DatabaseKind = 'sqlite' | 'postgres'
export const DATABASES = ['sqlite', 'postgres'] as const

export interface BenchInstallation {
  readonly kind: DatabaseKind
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
  /** The server, and the name of the database on it. */
  readonly postgres: { readonly server: Postgres; readonly database: string } | undefined
}

/**
 * The rate limits. All load comes from a few addresses, so its classes have the highest possible limits, and count as
 * usual. The others keep their defaults, including the limit on refused credentials, which `refusals.ts` tests.
 */
const LIMITS = ['tokens', 'nonces', 'sessions', 'devices', 'discharge'].map((name) => `${name}=9999999/1s`)

/** Creates an installation, whose tables of devices have this number of partitions; none if undefined. */
export async function newInstallation(
  kind: DatabaseKind,
  scene: Scene,
  directory: string,
  partitions?: number,
): Promise<BenchInstallation> {
  const own = mkdtempSync(join(directory, `${kind}-`))
  const data = join(own, 'data')
  mkdirSync(data, { mode: 0o700 })
  const server = kind === 'postgres' ? await sharedPostgres(directory) : undefined
  const database = `bench_${randomBytes(6).toString('hex')}`
  await server?.query(`create database ${database}`)
  const environment = {
    RATAFIA_DATA_DIR: data,
    RATAFIA_BASE_URL: 'http://ratafia.test',
    RATAFIA_SECRET_KEY: randomBytes(32).toString('base64'),
    RATAFIA_TRUSTED_PROXIES: '127.0.0.1',
    RATAFIA_RATE_LIMITS: LIMITS.join(','),
    RATAFIA_METRICS_PORT: String(await freePort()),
    ...(server && { RATAFIA_DATABASE_URL: server.url(database) }),
  }
  const installed = { ...thisRelease(), environment }
  if (partitions !== undefined) {
    const { code, stderr } = await commandOf(installed)(['migrate', '--partitions', String(partitions)])
    if (code !== 0) throw new Error(stderr)
  }
  await setUp(scene, installed)
  return { kind, directory: own, environment, postgres: server && { server, database } }
}

/** Removes an installation. A database with a million rows would use disk, and PostgreSQL's time during other works. */
export async function removeInstallation({ directory, postgres }: BenchInstallation): Promise<void> {
  await postgres?.server.query(`drop database ${postgres.database} with (force)`)
  rmSync(directory, { recursive: true })
}
