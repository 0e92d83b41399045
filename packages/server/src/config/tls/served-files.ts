/** Reads the certificate that the service serves, and its private key. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { createSecureContext } from 'node:tls'
import { hostIn } from '../../addresses/address-classes.ts'
import { type Clock, systemClock } from '../../clock.ts'
import { systemReason } from '../../text/system-reason.ts'
import { secureContextOptions, type TlsPair } from '../../tls/served-tls.ts'
import { ConfigError, type TlsFiles } from '../config.ts'
import { readSecretText } from '../secrets/secret-text.ts'
import { CERTIFICATE, PRIVATE_KEY, unfitPem } from './pem.ts'

export interface ReadTlsPair {
  readonly pair: TlsPair
  /** The service's own certificate, the first of its file. */
  readonly certificate: X509Certificate
  /** Warnings for the operator, such as that other users can read the key. */
  readonly warnings: readonly string[]
}

/** More than any chain of certificates has. */
const MOST_BYTES = 256 * 1024

/** Throws {@link ConfigError} for files that cannot be served. Messages never repeat the key. */
export async function readTlsPair(files: TlsFiles): Promise<ReadTlsPair> {
  const cert = await readCertificate(files.cert)
  const { value: key, warnings } = await readSecretText({
    ...{ from: 'file', file: files.key, variable: 'RATAFIA_TLS_KEY', parse: parseKey, refuseOpen: true },
  })
  const certificate = new X509Certificate(cert)
  if (!certificate.checkPrivateKey(createPrivateKey(key))) {
    throw new ConfigError(
      `RATAFIA_TLS_KEY: ${files.key} is not the key of the first certificate in ${files.cert}. Name the files of the same certificate, with the service's own before its chain.`,
    )
  }
  try {
    createSecureContext(secureContextOptions({ cert, key }))
  } catch (error) {
    throw new ConfigError(
      `RATAFIA_TLS_CERT: ${files.cert} cannot be served with its key: ${reasonOf(error)}. Get a new certificate.`,
    )
  }
  return { pair: { cert, key, until: certificate.validToDate.getTime() }, certificate, warnings }
}

async function readCertificate(file: string): Promise<string> {
  const refuse = (fault: string): never => {
    throw new ConfigError(`RATAFIA_TLS_CERT: ${file} ${fault}`)
  }
  const unreadable = (error: unknown) => refuse(`cannot be read: ${systemReason(error)}.`)
  const { size } = await stat(file).catch(unreadable)
  if (size > MOST_BYTES) refuse(`has more than ${MOST_BYTES} bytes.`)
  const pem = await readFile(file).catch(unreadable)
  const unfit = unfitPem(pem, CERTIFICATE)
  if (unfit !== undefined) refuse(`${unfit}. Write the certificate of the service, then its chain.`)
  return pem.toString('latin1')
}

/** Throws an `Error` whose message follows the file's name. */
function parseKey(text: string): string {
  const unfit = unfitPem(Buffer.from(text), PRIVATE_KEY)
  if (unfit !== undefined) throw new Error(unfit)
  return text
}

/** OpenSSL's words, such as "ee key too small". */
const reasonOf = (error: unknown): string =>
  error instanceof Error && 'reason' in error ? String(error.reason) : 'OpenSSL refuses it'

/** Returns why clients refuse the certificate now; undefined while it is valid. */
export function outOfDate(
  { validFromDate, validToDate }: X509Certificate,
  clock: Clock = systemClock,
): string | undefined {
  const now = clock()
  if (now > validToDate) return `expired at ${validToDate.toISOString()}`
  if (now < validFromDate) return `is valid only from ${validFromDate.toISOString()}`
  return undefined
}

/** Returns warnings about a pair that is served nevertheless. `address` is the URL that clients use. */
export function tlsWarnings(
  { certificate, warnings }: ReadTlsPair,
  { files, address, clock }: { readonly files: TlsFiles; readonly address: string; readonly clock?: Clock },
): readonly string[] {
  const late = outOfDate(certificate, clock)
  const host = hostIn(new URL(address))
  const named = isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)
  return [
    ...warnings,
    ...(late === undefined
      ? []
      : [`The certificate ${files.cert} ${late}, so clients refuse it. Replace it.`]),
    ...(named !== undefined
      ? []
      : [
          `The certificate ${files.cert} is not for ${host}, so clients that connect to ${address} refuse it.`,
        ]),
  ]
}
