/** Reads the configuration and creates the log of a command or of the service. */
import type { Streams } from '../cli/context.ts'
import { harmless } from '../cli/terminal/harmless.ts'
import { typed } from '../cli/typed.ts'
import { type Environment, readConfig } from '../config/config.ts'
import type { ServiceOptions, StartOptions } from './options.ts'

/** Returns the settings of a command, which only logs warnings, as text. Throws `ConfigError`. */
export function commandSettings(environment: Environment, streams: Streams): StartOptions {
  const warn = (message: string) =>
    void streams.stderr.write(`ratafia: warning: ${harmless(typed(message, streams))}\n`)
  return { config: readConfig(environment), log: { info: () => {}, warn }, onMade: madeNote(streams) }
}

/** Returns a function that reports a created database or key to the user. */
export const madeNote =
  (streams: Streams) =>
  (sentence: string): void =>
    void streams.stderr.write(`ratafia: ${harmless(typed(sentence, streams))}\n`)

/** Returns the settings of the service, with `port` as the default port. Throws `ConfigError`. */
export async function serviceSettings(
  environment: Environment,
  { stderr }: Streams,
  port?: number,
): Promise<ServiceOptions> {
  const config = readConfig(environment, port)
  const { createLog } = await import('../telemetry/log.ts')
  const pretty = stderr.isTTY === true && (await import('pino-pretty')).PinoPretty
  return {
    config,
    log: createLog({ level: config.logLevel, pretty, to: stderr, shared: config.workers > 1 }),
  }
}
