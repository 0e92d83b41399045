/** The address that users and programs use to reach the identity service, for commands that write it into files. */
import { type Config, serviceAddress } from '../config/config.ts'
import { parseServiceUrl } from '../config/values.ts'
import { UsageError } from './context.ts'

/**
 * Returns the address without a trailing slash. `there`: what to do at an external identity service, such as
 * `Create the agent there`. Throws {@link UsageError} if neither --url nor the configuration gives the
 * address.
 */
export function identityLocation(given: string | undefined, config: Config, there: string): string {
  const { baseUrl, port, identity } = config
  if (given !== undefined) return serviceUrl(given)
  if (identity) {
    throw new UsageError(`This service uses a separate identity service (RATAFIA_IDENTITY_URL). ${there}.`)
  }
  if (baseUrl === undefined && port === 0) {
    throw new UsageError('Pass --url: with RATAFIA_PORT=0 and no RATAFIA_BASE_URL, the address is not known.')
  }
  return `${serviceAddress(config)}/identity`
}

function serviceUrl(text: string): string {
  try {
    return parseServiceUrl(text)
  } catch (error) {
    throw new UsageError(`--url ${error instanceof Error ? error.message : String(error)}`)
  }
}
