/** The lines that a service prints when it is up. */
import type { DatabaseConfig } from '../config/config.ts'
import { postgresUrls } from '../postgres-urls.ts'

export interface Announced {
  /** The socket's `http://HOST:PORT`, or `https://…` with TLS. */
  readonly origin: string
  readonly baseUrl: string
  readonly release: string
  readonly database: DatabaseConfig
  /** The external identity service, `bundled`, or `alone` if this process is the identity service itself. */
  readonly identity: { readonly url: string } | 'bundled' | 'alone'
  readonly hasAccount: boolean
}

/** Returns lines of text. Scripts wait for the first one and read the port from it. */
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
    lines.push('  No accounts yet. Create one in another terminal:')
    lines.push('    npx ratafia accounts add USERNAME --email EMAIL --name NAME')
    if (identity === 'bundled') lines.push('  With --role operator it can also administer the service.')
  }
  return `${lines.join('\n')}\n`
}

/** Describes the database without user and password. */
export function describeDatabase(database: DatabaseConfig): string {
  if (database.kind === 'sqlite') return `SQLite, ${database.file}`
  const urls = (postgresUrls(database.url) ?? []).map((url) => new URL(url))
  const hosts = urls.map(({ host }) => host).join(', ')
  return ['PostgreSQL', urls[0]?.pathname.slice(1), hosts && `at ${hosts}`].filter(Boolean).join(' ')
}
