/** Publishes the metrics of this process. */
import { signingKeyLives } from '../../brands/keys/list-signing-keys.ts'
import { issuerKeyAges } from '../../ci/issuers/find.ts'
import { CLONE_EVIDENCE_KINDS } from '../../devices/clones/clone-evidence.ts'
import type { Installation } from '../../installation.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import { serveMetrics } from '../../telemetry/metrics-server.ts'
import type { ServiceOptions } from '../options.ts'

const LOOK_MS = 60_000

/** Returns the URL where this process serves them, or undefined. Adds what closes them to `opened`. */
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
  const look = () => lookAtDatabase(installation, metrics, log)
  await look()
  const timer = setInterval(look, LOOK_MS)
  opened.push(async () => clearInterval(timer))
  if (shareMetrics) return undefined
  const served = await serveMetrics(config.metrics, metrics.registry, log)
  opened.push(() => served.close())
  return served.url
}

/** Updates metrics from the database, which are the same for every process of the service and change slowly. */
async function lookAtDatabase(installation: Installation, metrics: Metrics, log: Log): Promise<void> {
  const { clones } = installation
  await signingKeyLives(installation).then(metrics.signingKeys, (error: unknown) =>
    log.warn({ err: error }, 'could not read the signing keys'),
  )
  await issuerKeyAges(installation).then(metrics.issuerKeys, (error: unknown) =>
    log.warn({ err: error }, 'could not read the ages of issuer keys'),
  )
  try {
    const [counted, inQuarantine] = [await clones.countDevices(), await clones.countQuarantined()]
    const withEvidence = new Map(CLONE_EVIDENCE_KINDS.map((kind) => [kind, counted.get(kind) ?? 0]))
    metrics.suspects({ withEvidence, inQuarantine })
  } catch (error) {
    log.warn({ err: error }, 'could not count clones')
  }
}
