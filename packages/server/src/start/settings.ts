/** The configuration and the log of a command, or of the service. */
import type { Streams } from '../cli/context.ts'
import { harmless } from '../cli/terminal/harmless.ts'
import { type Environment, readConfig } from '../config/config.ts'
import type { ServiceOptions, StartOptions } from './options.ts'

/** For a command: only warnings are logged, for people. Throws `ConfigError`. */
export function commandSettings(environment: Environment, { stderr }: Streams): StartOptions {
  const warn = (message: string) => void stderr.write(`ratafia: warning: ${harmless(message)}\n`)
  return { config: readConfig(environment), log: { info: () => {}, warn }, onMade: madeNote(stderr) }
}

/** Whatever makes a database or a key says so. */
export const madeNote =
  (stderr: Streams['stderr']) =>
  (sentence: string): void =>
    void stderr.write(`ratafia: ${harmless(sentence)}\n`)

/** For the service; `port` is its default. Throws `ConfigError`. */
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
