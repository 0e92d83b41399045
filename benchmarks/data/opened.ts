/** Opens an installation in this process, to fill its database with the service's own operations. */
import { readConfig } from '../../packages/server/src/config/config.ts'
import { openInstallation } from '../../packages/server/src/start/installation.ts'
import { createLog } from '../../packages/server/src/telemetry/log.ts'
import type { BenchInstallation } from '../services/installation.ts'

export type Opened = Awaited<ReturnType<typeof openInstallation>>

/** Opens an installation, which the caller must close. */
export function openHere({ environment }: BenchInstallation): Promise<Opened> {
  const log = createLog({ level: 'warn', pretty: false })
  return openInstallation({ config: readConfig(environment), log })
}

export async function opened<T>(
  of: BenchInstallation,
  work: (installation: Opened) => Promise<T>,
): Promise<T> {
  const installation = await openHere(of)
  try {
    return await work(installation)
  } finally {
    await installation.close()
  }
}

/** Yields the items in groups, for statements that insert many rows. */
export function* groupsOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
