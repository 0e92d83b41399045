/** The lines that a service prints when it is up. */
import type { DatabaseConfig } from '../config/config.ts'
import { postgresUrls } from '../postgres-urls.ts'

/**
 * The first thing that an installation needs. `ready`: nothing, it has an account, or an external identity service has them.
 * `account`: one, which only a command creates. `setup`: its first operator; `link` is undefined if it is not printed.
 */
export type FirstStep =
  | { readonly step: 'ready' }
  | { readonly step: 'account' }
  | { readonly step: 'setup'; readonly link: string | undefined }

export interface Announced {
  /** The socket's `http://HOST:PORT`, or `https://…` with TLS. */
  readonly origin: string
  readonly baseUrl: string
  readonly database: DatabaseConfig
  readonly dataDirectory: string
  /** The part that users open: the console, or else the service, or the identity service if there is nothing else. */
  readonly serves: 'console' | 'service' | 'identity'
  readonly first: FirstStep
}

/** Returns lines of text. Scripts wait for the first one and read the port from it. */
export function announcement({ origin, baseUrl, serves, first, ...where }: Announced): string {
  const address = {
    console: `Console: ${baseUrl}/console/`,
    service: `Service: ${baseUrl}`,
    identity: `Identity service: ${baseUrl}`,
  }[serves]
  const lines = [`ratafia listening on ${origin}`, address, dataLine(where), ...firstLines(first, serves)]
  return `${lines.join('\n  ')}\n`
}

/** The data directory also has the secret key, unless it is configured elsewhere. */
const dataLine = ({ database, dataDirectory }: Pick<Announced, 'database' | 'dataDirectory'>): string =>
  database.kind === 'sqlite' ? `Data directory: ${dataDirectory}` : `Database: ${describeDatabase(database)}`

function firstLines(first: FirstStep, serves: Announced['serves']): readonly string[] {
  if (first.step === 'ready') return []
  if (first.step === 'account') {
    const role = serves === 'identity' ? '' : ' --role operator'
    return [
      'No accounts yet. Create the first one with:',
      `  ratafia accounts add USERNAME --email EMAIL --name NAME${role}`,
    ]
  }
  return first.link === undefined
    ? [
        'No accounts yet. For a link that creates the first operator, run `ratafia setup-link` on this host',
        '  (a system service: sudo ratafia setup-link; a container: podman exec NAME ratafia setup-link)',
      ]
    : ['No accounts yet. Create the first operator within 30 minutes, at this address:', `  ${first.link}`]
}

/** Describes the database without user and password. */
export function describeDatabase(database: DatabaseConfig): string {
  if (database.kind === 'sqlite') return `SQLite, ${database.file}`
  const urls = (postgresUrls(database.url) ?? []).map((url) => new URL(url))
  const hosts = urls.map(({ host }) => host).join(', ')
  return ['PostgreSQL', urls[0]?.pathname.slice(1), hosts && `at ${hosts}`].filter(Boolean).join(' ')
}
