/** The program. */
import { existsSync } from 'node:fs'
import { linkEntries } from '../audit/link.ts'
import type { Streams } from '../cli/context.ts'
import { runProgram } from '../cli/run-program.ts'
import { ConfigError, type Environment, processEnvironment, readConfig } from '../config/config.ts'
import { readPresentSecretKey, readSecretKey } from '../config/secret-key.ts'
import { planMigrations, requireCurrentSchema } from '../database/index.ts'
import { createLog } from '../telemetry/log.ts'
import { openInstallation } from './installation.ts'
import { migrateWithLog, openConfigured } from './open-database.ts'
import { operatorOf } from './operator.ts'
import type { StartOptions } from './options.ts'
import { serve } from './processes.ts'
import { RELEASE } from './release.ts'
import { openSealer } from './sealer.ts'
import { unopenedInstallation } from './unopened-installation.ts'

export interface RunOptions {
  /** Default: that of this process. */
  readonly environment?: Environment
  /** Default: those of this process. */
  readonly streams?: Streams
}

/** The program: `words` as in `process.argv`. Resolves to the exit code; see `cli/context.ts`. */
export async function run(
  words: readonly string[],
  { environment = processEnvironment(), streams = process }: RunOptions = {},
): Promise<number> {
  const { stdout, stderr } = streams
  const settings = (port?: number): StartOptions => {
    const config = readConfig(environment, port === undefined ? undefined : { port })
    return { config, log: createLog({ level: config.logLevel, pretty: stderr.isTTY === true }) }
  }
  const quiet = (options: StartOptions): StartOptions => ({
    ...options,
    log: createLog({ level: 'warn', pretty: true }),
  })
  const say = (text: string) => stdout.write(text)
  return runProgram(words.slice(2), {
    streams,
    release: RELEASE,
    serve: () => serve(settings(), say),
    serveIdentity: () => serve({ ...settings(8081), identityOnly: true }, say),
    migrate: async () => {
      const options = settings()
      const { config } = options
      // So that a database never stands beside a key that is still to be made.
      await readSecretKey(config.secret)
      const database = await openConfigured(config)
      return migrateWithLog(database, options).finally(() => database.close())
    },
    planMigrations: async () => {
      const { kind, ...target } = settings().config.database
      if ('file' in target && !existsSync(target.file)) return planMigrations(undefined, kind)
      const database = await openConfigured(settings().config)
      return planMigrations(database, kind).finally(() => database.close())
    },
    withUnopenedInstallation: async (needs, work) => {
      const { config } = settings()
      const { kind, ...target } = config.database
      if (needs !== 'nothing' && 'file' in target && !existsSync(target.file)) {
        throw new ConfigError(`RATAFIA_DATA_DIR: there is no database ${target.file}.`)
      }
      const database = await openConfigured(config)
      try {
        if (needs === 'current-schema') await requireCurrentSchema(database)
        return await work(unopenedInstallation(database, operatorOf(config)))
      } finally {
        await database.close()
      }
    },
    openSealer: async () => {
      const { config, log } = quiet(settings())
      return openSealer(config, log, readPresentSecretKey)
    },
    withInstallation: async (work) => {
      const installation = await openInstallation({ ...quiet(settings()), schema: 'require' })
      try {
        const result = await work(installation)
        // The change is made; if this fails, the service does it, or the next command.
        await linkEntries(installation).catch(() => undefined)
        return result
      } finally {
        await installation.close()
      }
    },
  })
}
