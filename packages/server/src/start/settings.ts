/** The configuration of a command, and its log. */
import type { Streams } from '../cli/context.ts'
import { type Environment, readConfig } from '../config/config.ts'
import type { StartOptions } from './options.ts'

export type { Environment }

/** Throws `ConfigError`. `quiet`: only warnings are logged, for people. */
export async function settingsOf(
  environment: Environment,
  { stderr }: Streams,
  { port, quiet = false }: { readonly port?: number; readonly quiet?: boolean } = {},
): Promise<StartOptions> {
  const config = readConfig(environment, port === undefined ? undefined : { port })
  const { createLog } = await import('../telemetry/log.ts')
  const log = quiet
    ? createLog({ level: 'warn', pretty: true, to: stderr })
    : createLog({ level: config.logLevel, pretty: stderr.isTTY === true, to: stderr })
  return { config, log }
}
