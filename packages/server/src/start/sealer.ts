/** Reads the secret keys that seal every key in the database. */
import type { Config } from '../config/config.ts'
import { readPreviousSecretKey, readSecretKey, rereadSecretKeys } from '../config/secret-key.ts'
import { createSealer, type Sealer } from '../keyring/sealing.ts'
import type { StartLog } from './options.ts'

/** With the default `read`, the file of the default key is created if it is missing. Throws `ConfigError`. */
export async function openSealer(
  { secret, previousSecret }: Config,
  log: StartLog,
  read = readSecretKey,
): Promise<Sealer> {
  const current = await read(secret)
  const previous = await readPreviousSecretKey(previousSecret)
  for (const warning of [...current.warnings, ...(previous?.warnings ?? [])]) log.warn(warning)
  return createSealer({ current: current.key, previous: previous?.key }, () =>
    rereadSecretKeys(secret, previousSecret),
  )
}
