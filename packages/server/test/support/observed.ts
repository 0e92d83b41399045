/** Starts services whose metrics, traces and log a test reads. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { after } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { type RunningService, startService } from '../../src/start/service/service.ts'
import { createLog } from '../../src/telemetry/log.ts'
import type { Fresh } from './databases.ts'
import { cheapPasswords } from './passwords.ts'
import type { TestService } from './service.ts'

export interface ObservedService extends TestService {
  readonly metricsUrl: string | undefined
  /** Returns everything that the service has logged, at RATAFIA_LOG_LEVEL. */
  log(): string
  close(): Promise<void>
}

/**
 * Returns a function that starts services on the suite's database. Those that a test leaves open are closed at the end.
 */
export function observedServices(
  fresh: Pick<Fresh, 'target'>,
): (environment?: Readonly<Record<string, string>>) => Promise<ObservedService> {
  const open = new Set<ObservedService>()
  after(async () => {
    for (const service of open) await service.close()
  })
  return async (environment = {}) => {
    const service = await start(fresh, environment)
    const observed = {
      ...service,
      close: () => {
        open.delete(observed)
        return service.close()
      },
    }
    open.add(observed)
    return observed
  }
}

async function start(
  fresh: Pick<Fresh, 'target'>,
  environment: Readonly<Record<string, string>>,
): Promise<ObservedService> {
  const directory = await mkdtemp(join(tmpdir(), 'ratafia-observed-'))
  const target = await fresh.target()
  const config = readConfig({
    RATAFIA_PORT: '0',
    RATAFIA_DATA_DIR: directory,
    RATAFIA_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    // The tests send as many requests from one address as a thousand clients.
    RATAFIA_RATE_LIMITS: 'off',
    ...(target.kind === 'postgres' ? { RATAFIA_DATABASE_URL: target.url } : {}),
    ...environment,
  })
  // The configuration for PostgreSQL has more settings than the URL.
  const database = target.kind === 'sqlite' ? target : config.database
  const lines: string[] = []
  const to = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(chunk.toString())
      done()
    },
  })
  const log = createLog({ level: config.logLevel, pretty: false, to })
  const running: RunningService = await startService({
    config: { ...config, database },
    log,
    passwords: cheapPasswords(),
  })
  return {
    ...running,
    // The address that it listens on, even if RATAFIA_BASE_URL is different.
    baseUrl: running.origin,
    log: () => lines.join(''),
    now: () => new Date(),
    advance: () => {
      throw new TypeError('This service uses the real clock, which cannot be advanced.')
    },
    close: async () => {
      await running.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Returns the samples of a metrics page, by name and labels. */
export async function scrape(url: string | undefined): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(url ?? '')).text()
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), Number(line.slice(at + 1))]
    }),
  )
}
