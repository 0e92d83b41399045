/** The test's own certificate authority, and the certificates that it issues. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Authority {
  /** The path of its certificate in PEM. */
  readonly file: string
  /** Issues a certificate for `names` (`DNS:…`, `IP:…`). Returns the paths of the certificate and its key. */
  issue(name: string, names: readonly string[]): { readonly certificate: string; readonly key: string }
}

export function makeAuthority(directory: string, name: string): Authority {
  const at = (file: string) => join(directory, `${name}-${file}`)
  const openssl = (...words: string[]) =>
    execFileSync('openssl', words, { stdio: ['ignore', 'pipe', 'pipe'] })
  const newKey = (file: string) =>
    openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', file)
  const [caKey, caFile] = [at('ca.key'), at('ca.pem')]
  newKey(caKey)
  openssl('req', '-x509', '-key', caKey, '-subj', `/CN=${name}`, '-days', '2', '-out', caFile)
  return {
    file: caFile,
    issue: (server, names) => {
      const [key, request, extensions, certificate] = ['key', 'csr', 'ext', 'pem'].map((end) =>
        at(`${server}.${end}`),
      ) as [string, string, string, string]
      newKey(key)
      writeFileSync(extensions, `subjectAltName=${names.join(',')}\n`)
      openssl('req', '-new', '-key', key, '-subj', `/CN=${server}`, '-out', request)
      openssl(
        ...['x509', '-req', '-in', request, '-CA', caFile, '-CAkey', caKey, '-CAcreateserial'],
        ...['-days', '2', '-extfile', extensions, '-out', certificate],
      )
      return { certificate, key }
    },
  }
}
