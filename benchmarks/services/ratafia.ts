/** Starts our service on the server core as users run it: with metrics, an access log and one worker. */
import { join } from 'node:path'
import { PROGRAM, ROOT } from '../../tools/test/programs.ts'
import { SERVER_CORE } from '../harness/cores.ts'
import type { Contender, Load } from '../harness/rounds.ts'
import type { BenchInstallation } from './installation.ts'
import { statementsIn } from './postgres.ts'
import { type Running, startProcess } from './process.ts'
import { profile, profilerOf } from './profiling.ts'

export interface Service extends Running {
  readonly installation: BenchInstallation
  /** The file for a CPU profile. */
  readonly profile: string
}

export interface ServiceOptions {
  readonly workers?: number
  readonly cores?: string
  readonly accessLog?: 'on' | 'off'
  readonly environment?: Readonly<Record<string, string>>
}

export async function startRatafia(
  installation: BenchInstallation,
  { workers = 1, cores = SERVER_CORE, accessLog = 'on', environment = {} }: ServiceOptions = {},
): Promise<Service> {
  const profiler = profilerOf(installation.directory)
  const running = await startProcess({
    words: [process.execPath, ...profiler.words, join(ROOT, PROGRAM), 'serve'],
    cores,
    environment: {
      ...installation.environment,
      RATAFIA_PORT: '0',
      RATAFIA_METRICS_PORT: '0',
      RATAFIA_WORKERS: String(workers),
      RATAFIA_ACCESS_LOG: accessLog,
      ...profiler.environment,
      ...environment,
    },
  })
  return { ...running, installation, profile: profiler.file }
}

/** The service under a load, measured together with its database. With `profileAs` it can be profiled. */
export function contender(name: string, service: Service, load: Load, profileAs?: string): Contender {
  const { postgres } = service.installation
  return {
    name,
    load,
    pids: () => [service.pid],
    ...(profileAs !== undefined && {
      profile: (under) => profile(service.pid, service.profile, profileAs, under),
    }),
    ...(postgres && {
      databasePids: () => [postgres.server.pid ?? 0],
      statements: () => statementsIn(postgres.server, postgres.database),
    }),
  }
}
