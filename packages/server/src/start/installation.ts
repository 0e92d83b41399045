/** Opens an installation: its database, its keys and every store. */
import { OPERATOR } from '../accounts/account-fields.ts'
import { createPasswordHasher } from '../accounts/passwords/password-hasher.ts'
import { directAuthority } from '../authority.ts'
import type { FetchDocument } from '../ci/issuers/keys/fetch-keys.ts'
import { systemClock } from '../clock.ts'
import { requireCurrentSchema, requireFitDatabase } from '../database/index.ts'
import { countStore } from '../devices/counts/count-store.ts'
import { listStore } from '../devices/fleet/list-store.ts'
import { deviceTransferStore } from '../devices/transfer/device-transfer-store.ts'
import type { Installation } from '../installation.ts'
import { leaseStore } from '../jobs/lease-store.ts'
import { openKeyring } from '../keyring/keyring.ts'
import { processStore } from '../status/process-store.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import { migrateWithLog, missingPart, openConfigured, operatorOf, requireDatabase } from './open-database.ts'
import type { StartOptions } from './options.ts'
import { openSealer } from './sealer.ts'
import { changesOn, storesOn } from './stores.ts'

/** Throws `ConfigError`, `SchemaError`, `KeyringError` (a wrong secret) or `Unavailable`. */
export async function openInstallation(options: StartOptions, telemetry?: Telemetry): Promise<Installation> {
  const { config, log, schema = 'update', makes = 'everything' } = options
  const { onMade = (sentence) => log.info({}, sentence) } = options
  if (makes !== 'everything') requireDatabase(config)
  const missing = missingPart(config)
  options.stop?.throwIfAborted()
  const sealer = await openSealer(config, log)
  const database = await openConfigured(options, { telemetry, reads: makes === 'nothing' })
  const { clock = database.clock.now, machineClock = systemClock } = options
  try {
    // The first worker of a supervisor has already checked this.
    const warnings = schema === 'keep' ? [] : await requireFitDatabase(database)
    // Commands do not print advice about the server.
    if (schema === 'update') for (const warning of warnings) log.warn(warning)
    options.stop?.throwIfAborted()
    // A command that only reads must not wait for the lock of migrations.
    const updates = database.kind === 'sqlite' && makes !== 'nothing'
    if (schema === 'update' || (schema === 'require' && updates)) await migrateWithLog(database, options)
    else if (schema === 'require') await requireCurrentSchema(database)
    options.stop?.throwIfAborted()
    const keyring = await openKeyring({ database, secret: sealer, clock, makeKeys: makes !== 'nothing' })
    if (missing !== undefined) onMade(missing)
    const operator = operatorOf(config)
    return {
      config,
      clock,
      clockAhead: () => database.clock.aheadBy(machineClock()),
      database,
      keyring,
      passwords: options.passwords ?? createPasswordHasher(),
      sealer,
      deviceTransfers: deviceTransferStore(database),
      leases: leaseStore(database),
      processes: processStore(database),
      deviceLists: listStore(database),
      deviceCounts: countStore(database),
      fetchDocument: fetcher(config.issuerProxy),
      ...storesOn(database),
      ...changesOn(database, { clock, sealer }),
      authority: directAuthority(operator, OPERATOR),
      close: () => database.close(),
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Loads the code for outgoing connections when it is first needed, because most commands do not need it. */
const fetcher = (proxy: string | undefined): FetchDocument => {
  const loaded = async () => (await import('../http/outgoing/documents.ts')).documentFetcher({ proxy })
  let fetchDocument: Promise<FetchDocument> | undefined
  return async (url, from) => {
    fetchDocument ??= loaded()
    return (await fetchDocument)(url, from)
  }
}
