/** Lists every route that the service registers with Fastify, so that a test of all routes includes new ones. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { readConfig } from '../../packages/server/src/config/config.ts'
import { startService } from '../../packages/server/src/start/service/service.ts'
import { createLog } from '../../packages/server/src/telemetry/log.ts'

export interface Route {
  readonly method: string
  /** The path, with parameters such as `:id`. */
  readonly url: string
}

/** Returns the routes. Starts a service for this, and stops it. */
export async function routesOfService(): Promise<readonly Route[]> {
  const routes: Route[] = []
  const listen = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', ({ method, url }) => {
      // A reverse proxy answers TRACE itself.
      for (const one of [method].flat()) if (one !== 'TRACE') routes.push({ method: one, url })
    })
  }
  const directory = await mkdtemp(join(tmpdir(), 'ratafia-routes-'))
  subscribe('fastify.initialization', listen)
  try {
    const config = readConfig({
      ...{ RATAFIA_PORT: '0', RATAFIA_DATA_DIR: directory },
      RATAFIA_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    })
    const service = await startService({
      config,
      log: createLog({ level: 'silent', pretty: false }),
      jobs: false,
    })
    await service.close()
  } finally {
    unsubscribe('fastify.initialization', listen)
    await rm(directory, { recursive: true })
  }
  return routes
}
