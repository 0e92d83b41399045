/** Warnings about settings that are allowed but rarely intended. `serve` and `config check` show them. */
import { hostIn, isLoopbackHost } from '../addresses/address-classes.ts'
import { type Config, serviceAddress } from './config.ts'

/** Returns a few sentences for each warning, beginning with the variable. */
export function configWarnings(config: Config): readonly string[] {
  const address = new URL(serviceAddress(config))
  if (address.protocol === 'https:') {
    if (config.trustedProxies.length > 0 || config.tls !== undefined) return []
    return [
      'RATAFIA_BASE_URL is https, but RATAFIA_TRUSTED_PROXIES is not set. The service itself serves http, so behind your reverse proxy all clients seem to come from one address, and passwords from other machines are refused. Set RATAFIA_TRUSTED_PROXIES to the address from which the proxy connects.',
    ]
  }
  const host = hostIn(address)
  if (host === 'localhost' || host.endsWith('.localhost') || isLoopbackHost(host)) return []
  return [
    `${config.baseUrl === undefined ? 'RATAFIA_HOST' : 'RATAFIA_BASE_URL'} makes ${host} reachable over http. Anyone on the network can read the tokens, and passwords from other machines are refused. Set RATAFIA_TLS_CERT and RATAFIA_TLS_KEY, or put a reverse proxy with TLS in front of the service; then set RATAFIA_BASE_URL to the https address.`,
  ]
}
