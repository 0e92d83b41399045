/** The address that users and programs use to reach the identity service, for commands that write it into files. */
import { type Config, serviceAddress } from '../config/config.ts'
import { type CommandContext, UsageError } from './context.ts'

/**
 * Returns the address without a trailing slash. `there`: what to do at an external identity service, such as
 * `Create the agent there`. Throws {@link UsageError} if neither --url nor the configuration gives the address.
 */
export function identityLocation(
  given: string | undefined,
  { readServiceUrl }: CommandContext,
  config: Config,
  there: string,
): string {
  if (given !== undefined) return readServiceUrl(given)
  const { baseUrl, port, identity } = config
  if (identity) {
    throw new UsageError(`This service uses a separate identity service (RATAFIA_IDENTITY_URL). ${there}.`)
  }
  if (baseUrl === undefined && port === 0) {
    throw new UsageError('Pass --url: with RATAFIA_PORT=0 and no RATAFIA_BASE_URL, the address is not known.')
  }
  return `${serviceAddress(config)}/identity`
}
