/** Certificates for the tests of TLS, for store.example.com and loopback, valid from 2020 to 2126; one until 2021. */
import { readFileSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export type TlsPairName = 'first' | 'second' | 'expired'

/** Returns a certificate and its private key, as PEM. */
export function tlsPair(name: TlsPairName): { readonly cert: string; readonly key: string } {
  const pem = readFileSync(new URL(`../data/tls/${name}.pem`, import.meta.url), 'utf8')
  const at = pem.indexOf('-----BEGIN CERTIFICATE')
  return { key: pem.slice(0, at), cert: pem.slice(at) }
}

export interface TlsFiles {
  readonly cert: string
  readonly key: string
  /** The variables that name the files. */
  readonly environment: { readonly RATAFIA_TLS_CERT: string; readonly RATAFIA_TLS_KEY: string }
  /** Writes the files. The key's mode is 0600. */
  write(pair: { readonly cert: string; readonly key: string }): Promise<void>
}

/** Returns files in a directory, which a test has to write. */
export function tlsFilesIn(directory: string): TlsFiles {
  const cert = join(directory, 'cert.pem')
  const key = join(directory, 'key.pem')
  return {
    cert,
    key,
    environment: { RATAFIA_TLS_CERT: cert, RATAFIA_TLS_KEY: key },
    write: async (pair) => {
      await writeFile(cert, pair.cert)
      await writeFile(key, pair.key, { mode: 0o600 })
      await chmod(key, 0o600)
    },
  }
}
