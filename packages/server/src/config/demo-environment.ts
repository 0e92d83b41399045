/** The environment of `ratafia demo`, to which none of an operator's settings apply. */
import { isLoopbackHost } from '../addresses/address-classes.ts'
import { ConfigError } from './config.ts'
import { type Environment, textOf } from './row.ts'

/**
 * Returns the names of the variables that a demo ignores. Throws {@link ConfigError} for those that ask for what a demo
 * never does: use a database server, or listen on a network.
 */
export function ignoredByDemo(environment: Environment): readonly string[] {
  if (textOf(environment, 'RATAFIA_DATABASE_URL') !== undefined) {
    throw new ConfigError(
      'RATAFIA_DATABASE_URL is set, but a demo uses only a temporary database of its own. Unset it, or run `ratafia serve`.',
    )
  }
  const host = textOf(environment, 'RATAFIA_HOST')
  if (host !== undefined && host !== 'localhost' && !isLoopbackHost(host)) {
    throw new ConfigError(
      `RATAFIA_HOST is ${host}, but a demo listens only on 127.0.0.1. Unset it, or run \`ratafia serve\`.`,
    )
  }
  const names = Object.keys(environment).filter((name) => /^RATAFIA_(?!TEST_)/.test(name))
  return names.filter((name) => textOf(environment, name) !== undefined)
}

/** Returns the environment for a demo in this directory. */
export const demoEnvironment = (directory: string, port: number): Environment => ({
  RATAFIA_DATA_DIR: directory,
  RATAFIA_PORT: String(port),
  RATAFIA_NAME: 'demo',
  RATAFIA_WORKERS: '1',
  RATAFIA_LOG_LEVEL: 'warn',
})
