/** The address of this host's service, for programs on the same host. */
import { type Config, ConfigError, socketUrl } from './config.ts'
import { type Environment, readRows, textOf } from './row.ts'
import { isEveryAddress } from './values.ts'
import { STANDARD_ADDRESS } from './variables/commands.ts'
import { SERVING_VARIABLES } from './variables/serving.ts'

/**
 * Returns the URL of the service's socket as a program on this host reaches it, without a trailing slash; undefined if
 * the system chooses the port.
 */
export function localAddress({ host, port, tls }: Pick<Config, 'host' | 'port' | 'tls'>): string | undefined {
  if (port === 0) return undefined
  const reached = isEveryAddress(host) ? (host === '0.0.0.0' ? '127.0.0.1' : '::1') : host
  return socketUrl({ host: reached, port, tls })
}

/**
 * Returns {@link localAddress}, and the service's base URL if it is set. Does not read other variables, because a
 * command may run where the service is not configured. Throws `ConfigError`.
 */
export function addressesIn(environment: Environment): {
  readonly baseUrl: string | undefined
  readonly local: string | undefined
} {
  const { RATAFIA_BASE_URL, RATAFIA_HOST, RATAFIA_PORT, RATAFIA_TLS_CERT } = SERVING_VARIABLES
  const problems: string[] = []
  const values = readRows(
    { RATAFIA_BASE_URL, RATAFIA_HOST, RATAFIA_PORT, RATAFIA_TLS_CERT },
    environment,
    problems,
  )
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  const { RATAFIA_BASE_URL: baseUrl, RATAFIA_HOST: host, RATAFIA_PORT: port, RATAFIA_TLS_CERT: cert } = values
  const tls = cert === undefined ? undefined : { cert, key: cert }
  return { baseUrl, local: localAddress({ host, port, tls }) }
}

/** The variables that decide about the address, besides the base URL. */
const OF_SOCKET = ['RATAFIA_HOST', 'RATAFIA_PORT', 'RATAFIA_TLS_CERT']

/**
 * Returns the URL that the service of this host listens on, without a trailing slash, and which variables it
 * comes from. Throws `ConfigError`.
 */
export function addressOfThisHost(environment: Environment): { readonly url: string; readonly from: string } {
  const { baseUrl, local } = addressesIn(environment)
  if (baseUrl !== undefined) return { url: baseUrl, from: 'RATAFIA_BASE_URL' }
  const set = OF_SOCKET.filter((name) => textOf(environment, name) !== undefined)
  // The port of a service whose system chooses it is not known here.
  if (set.length === 0 || local === undefined) return { url: STANDARD_ADDRESS, from: 'the default' }
  return { url: local, from: set.join(' and ') }
}
