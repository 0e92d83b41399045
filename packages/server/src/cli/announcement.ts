/** What a person needs to know when the service is up. */
import type { DatabaseConfig } from '../config/config.ts'
import { postgresUrls } from '../postgres-urls.ts'

export interface Announced {
  /** `http://HOST:PORT` of the socket. */
  readonly origin: string
  readonly baseUrl: string
  readonly release: string
  readonly database: DatabaseConfig
  /** The external identity service, `bundled`, or `alone`: this is the identity service itself. */
  readonly identity: { readonly url: string } | 'bundled' | 'alone'
  readonly hasAccount: boolean
}

/** Lines of text. Scripts wait for the first, and find the port in it. */
export function announcement(service: Announced): string {
  const { origin, baseUrl, release, identity, hasAccount } = service
  const what =
    identity === 'alone' ? 'the identity service on its own' : 'the authentication half of a snap store'
  const lines = [`ratafia listening on ${origin}`, `  Ratafia ${release}: ${what}`]
  if (baseUrl !== origin) lines.push(`  Clients reach it at ${baseUrl}`)
  lines.push(`  Database: ${describeDatabase(service.database)}`)
  if (identity !== 'alone') {
    lines.push(`  Identity: ${identity === 'bundled' ? `bundled, ${baseUrl}/identity` : identity.url}`)
  }
  if (!hasAccount && (identity === 'bundled' || identity === 'alone')) {
    lines.push('  There is no account yet. Make one in another terminal:')
    lines.push('    npx ratafia accounts add USERNAME --email EMAIL --name NAME')
    if (identity === 'bundled') lines.push('  Add --role operator, and it administers the service too.')
  }
  return `${lines.join('\n')}\n`
}

/** Without user and password. */
export function describeDatabase(database: DatabaseConfig): string {
  if (database.kind === 'sqlite') return `SQLite, ${database.file}`
  const urls = (postgresUrls(database.url) ?? []).map((url) => new URL(url))
  const hosts = urls.map(({ host }) => host).join(', ')
  return ['PostgreSQL', urls[0]?.pathname.slice(1), hosts && `at ${hosts}`].filter(Boolean).join(' ')
}
