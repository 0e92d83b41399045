/** Finds the service for a command: from an option, a variable, the last login, or the settings of this host. */
import type { ServiceEnvironment } from '../../config/service-environment.ts'
import type { FoundService } from '../context.ts'
import { lastLogin } from './credentials.ts'

/** Finds the service; `ofThisHost` returns the one in the host's settings. Throws `ConfigError`, `FileError`. */
export async function findService(
  environment: Pick<ServiceEnvironment, 'url' | 'credentialsFile'>,
  ofThisHost: () => FoundService,
): Promise<FoundService> {
  const url = environment.url()
  if (url !== undefined) return { url, from: 'RATAFIA_URL' }
  const kept = await lastLogin(environment.credentialsFile)
  return kept === undefined ? ofThisHost() : { url: kept, from: 'the last `ratafia login`' }
}
