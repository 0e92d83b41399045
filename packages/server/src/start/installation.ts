/** Opens an installation: its database, its keys and every store. */
import { createPasswordHasher } from '../accounts/password-hasher.ts'
import type { Installation } from '../cli/installation.ts'
import { systemClock } from '../clock.ts'
import { requireCurrentSchema } from '../database/index.ts'
import { fleetStore } from '../devices/fleet/fleet-store.ts'
import { deviceTransferStore } from '../devices/transfer/device-transfer-store.ts'
import { openKeyring } from '../keyring/keyring.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import { migrateWithLog, openConfigured, operatorOf } from './open-database.ts'
import type { StartOptions } from './options.ts'
import { openSealer } from './sealer.ts'
import { changesOn, storesOn } from './stores.ts'

/** Throws `ConfigError`, `SchemaError`, `KeyringError` (a wrong secret) or `Unavailable`. */
export async function openInstallation(options: StartOptions, telemetry?: Telemetry): Promise<Installation> {
  const { config, log, clock = systemClock, schema = 'update' } = options
  const sealer = await openSealer(config, log)
  const database = await openConfigured(config, telemetry)
  try {
    if (schema === 'update' || (schema === 'require' && database.kind === 'sqlite')) {
      await migrateWithLog(database, options)
    } else if (schema === 'require') await requireCurrentSchema(database)
    return {
      config,
      clock,
      database,
      keyring: await openKeyring({ database, secret: sealer, clock }),
      passwords: createPasswordHasher(),
      sealer,
      deviceTransfers: deviceTransferStore(database),
      fleet: fleetStore(database),
      ...storesOn(database),
      ...changesOn(database, { clock, sealer, operator: operatorOf(config) }),
      close: () => database.close(),
    }
  } catch (error) {
    await database.close()
    throw error
  }
}
