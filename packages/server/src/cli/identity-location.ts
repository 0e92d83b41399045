/** The addresses of the service and its identity service, for commands that print them or write them into files. */
import { type Config, serviceAddress } from '../config/config.ts'
import { type CommandContext, UsageError } from './context.ts'

/**
 * Returns the address without a trailing slash. `there`: what to do at an external identity service, such as
 * `Create the agent there`. Throws {@link UsageError} if neither --url nor the configuration gives the address.
 */
export function identityLocation(
  given: string | undefined,
  context: CommandContext,
  config: Config,
  there: string,
): string {
  if (given === undefined && config.identity) {
    throw new UsageError(`This service uses a separate identity service (RATAFIA_IDENTITY_URL). ${there}.`)
  }
  const address = serviceLocation(given, context, config)
  return given === undefined ? `${address}/identity` : address
}

/** Returns the service's own address without a trailing slash. Throws {@link UsageError} if it is not known. */
export function serviceLocation(
  given: string | undefined,
  { readServiceUrl }: CommandContext,
  config: Config,
): string {
  if (given !== undefined) return readServiceUrl(given)
  if (config.baseUrl === undefined && config.port === 0) {
    throw new UsageError('Pass --url: with RATAFIA_PORT=0 and no RATAFIA_BASE_URL, the address is not known.')
  }
  return serviceAddress(config)
}
