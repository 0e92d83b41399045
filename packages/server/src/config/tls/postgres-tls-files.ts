/** Checks the TLS files that a PostgreSQL address names: `pg` reads them late, where a bad one looks like an outage. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { postgresUrls } from '../../postgres-urls.ts'
import { systemReason } from '../../text/system-reason.ts'
import { ConfigError, type DatabaseConfig } from '../config.ts'
import { pathProblem } from '../values.ts'
import { CERTIFICATE, type PemContent, PRIVATE_KEY, ROOT_CERTIFICATE, unfitPem } from './pem.ts'

/** The required content of each parameter's file. */
const CONTENT: Readonly<Record<string, PemContent>> = {
  sslrootcert: ROOT_CERTIFICATE,
  sslcert: CERTIFICATE,
  sslkey: PRIVATE_KEY,
}

/** Throws {@link ConfigError} with a line for each file that cannot be read or has other content. */
export async function requireTlsFiles(database: DatabaseConfig): Promise<void> {
  if (database.kind === 'sqlite') return
  const { url, listenUrl = url } = database
  const problems = await problemsOf('RATAFIA_DATABASE_URL', url)
  if (listenUrl !== url) problems.push(...(await problemsOf('RATAFIA_DATABASE_LISTEN_URL', listenUrl)))
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
}

/** Returns when the certificates that the database's address names expire: the first certificate of each file. */
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
  const read = new Map<string, Buffer>()
  for (const [name, content] of Object.entries(CONTENT)) {
    const file = searchParams.get(name)
    if (!file) continue
    const wrong = pathProblem(file)
    if (wrong !== undefined) {
      problems.push(`${variable}: the ${name} ${wrong}`)
      continue
    }
    try {
      const pem = await readFile(file)
      const unfit = unfitPem(pem, content)
      if (unfit === undefined) read.set(name, pem)
      else problems.push(`${variable}: the ${name} ${file} ${unfit}`)
    } catch (error) {
      problems.push(`${variable}: the ${name} ${file} cannot be read: ${systemReason(error)}.`)
    }
  }
  const [cert, key] = [read.get('sslcert'), read.get('sslkey')]
  if (cert && key && !new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
    problems.push(`${variable}: the sslkey does not match the certificate in sslcert`)
  }
  return problems
}
