/** Where the metrics of this process go. */
import { signingKeyLives } from '../../brands/keys/signing-key-life.ts'
import type { Installation } from '../../cli/installation.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import { serveMetrics } from '../../telemetry/metrics-server.ts'
import type { ServiceOptions } from '../options.ts'

const SIGNING_KEYS_MS = 60_000

/**
 * Returns the address at which this process serves them, or undefined. Adds what must be closed again to `opened`.
 */
export async function publishMetrics(
  installation: Installation,
  metrics: Metrics,
  { log, shareMetrics }: ServiceOptions,
  opened: (() => Promise<void>)[],
): Promise<string | undefined> {
  const { config, database } = installation
  metrics.watch({ pool: () => database.pool() })
  shareMetrics?.(metrics)
  if (!config.metrics) return undefined
  const lookAtKeys = () =>
    signingKeyLives(installation).then(metrics.signingKeys, (error: unknown) =>
      log.warn({ err: error }, 'could not look at the signing keys'),
    )
  await lookAtKeys()
  const timer = setInterval(lookAtKeys, SIGNING_KEYS_MS)
  opened.push(async () => clearInterval(timer))
  if (shareMetrics) return undefined
  const served = await serveMetrics(config.metrics, metrics.registry, log)
  opened.push(() => served.close())
  return served.url
}
