/** Implements `ratafia config check`, which finds what `serve` would refuse besides the variables themselves. */
import { type Config, ConfigError, serviceAddress } from '../config/config.ts'
import { readPresentSecretKey, readPreviousSecretKey } from '../config/secret-key.ts'
import { readSecretText } from '../config/secrets/secret-text.ts'
import { requireTlsFiles } from '../config/tls/postgres-tls-files.ts'
import { readTlsPair, tlsWarnings } from '../config/tls/served-files.ts'
import { configWarnings } from '../config/warnings.ts'
import { requireFitDatabase } from '../database/index.ts'
import { databaseIsMissing } from './open-database.ts'
import type { StartOptions } from './options.ts'

/** Reads every file a variable names; with `connect`, opens the installation. Creates nothing. Throws `ConfigError`. */
export async function checkConfig(options: StartOptions, connect: boolean): Promise<void> {
  const { config, log } = options
  const { database, secret, previousSecret, reminders } = config
  // The key of a new embedded database is created together with it.
  const isNew = databaseIsMissing(config) && secret.from === 'file' && secret.makeBefore !== undefined
  const results = await Promise.allSettled([
    requireTlsFiles(database),
    isNew ? undefined : readPresentSecretKey(secret),
    readPreviousSecretKey(previousSecret),
    reminders.mail && readSecretText(reminders.mail.server),
    reminders.webhook && readSecretText(reminders.webhook.secret),
    checkTls(config),
  ])
  const problems = results.flatMap((result) => {
    if (result.status === 'fulfilled') return []
    if (result.reason instanceof ConfigError) return [result.reason.message]
    throw result.reason
  })
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  for (const warning of configWarnings(config)) log.warn(warning)
  for (const result of results) {
    const warnings = result.status === 'fulfilled' && result.value ? result.value.warnings : []
    for (const warning of warnings) log.warn(warning)
  }
  if (!connect) return
  const { openInstallation } = await import('./installation.ts')
  // An embedded database would be migrated.
  const schema = database.kind === 'sqlite' ? 'keep' : 'require'
  const installation = await openInstallation({ ...options, makes: 'nothing', schema })
  try {
    for (const warning of await requireFitDatabase(installation.database)) log.warn(warning)
  } finally {
    await installation.close()
  }
}

async function checkTls(config: Config): Promise<{ readonly warnings: readonly string[] }> {
  const { tls: files } = config
  if (!files) return { warnings: [] }
  const read = await readTlsPair(files)
  return { warnings: tlsWarnings(read, { files, address: serviceAddress(config) }) }
}
