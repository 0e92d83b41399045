/**
 * Checks the TLS files that a PostgreSQL address names: `pg` reads them per connection, and a bad one looks like an
 * outage.
 */
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { postgresUrls } from '../postgres-urls.ts'
import { systemReason } from '../text/system-reason.ts'
import { ConfigError, type DatabaseConfig } from './config.ts'
import { pathProblem } from './paths/file-path.ts'

/** What the file of each parameter must contain, as PEM. */
const CONTENT: Readonly<Record<string, readonly [label: RegExp, what: string]>> = {
  sslrootcert: [/-----BEGIN (TRUSTED )?CERTIFICATE-----/, 'certificate'],
  sslcert: [/-----BEGIN CERTIFICATE-----/, 'certificate'],
  sslkey: [/-----BEGIN ([A-Z]+ )?PRIVATE KEY-----/, 'private key'],
}

/** Throws {@link ConfigError} with a line for each file that cannot be read or contains something else. */
export async function requireTlsFiles(database: DatabaseConfig): Promise<void> {
  if (database.kind === 'sqlite') return
  const { url, listenUrl = url } = database
  const problems = await problemsOf('RATAFIA_DATABASE_URL', url)
  if (listenUrl !== url) problems.push(...(await problemsOf('RATAFIA_DATABASE_LISTEN_URL', listenUrl)))
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
}

/** When each certificate ends that the address of the database names; the first one of each file. */
export async function certificatesOf(
  database: DatabaseConfig,
): Promise<readonly { readonly file: string; readonly until: Date }[]> {
  if (database.kind === 'sqlite') return []
  const [first = database.url] = postgresUrls(database.url) ?? []
  const { searchParams } = new URL(first)
  const files = ['sslrootcert', 'sslcert'].flatMap((name) => searchParams.get(name) ?? [])
  return Promise.all(
    files.map(async (file) => ({ file, until: new X509Certificate(await readFile(file)).validToDate })),
  )
}

async function problemsOf(variable: string, url: string): Promise<string[]> {
  // All hosts share the same parameters.
  const [first = url] = postgresUrls(url) ?? []
  const { searchParams } = new URL(first)
  const problems: string[] = []
  for (const [name, [label, what]] of Object.entries(CONTENT)) {
    const file = searchParams.get(name)
    if (!file) continue
    const wrong = pathProblem(file)
    if (wrong !== undefined) {
      problems.push(`${variable}: the ${name} ${wrong}`)
      continue
    }
    try {
      if (label.test(await readFile(file, 'utf8'))) continue
      problems.push(`${variable}: the ${name} ${file} contains no ${what} (PEM)`)
    } catch (error) {
      problems.push(`${variable}: the ${name} ${file} cannot be read: ${systemReason(error)}.`)
    }
  }
  return problems
}
