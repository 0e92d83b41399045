/** Checks what a file in the PEM format contains. */
import { createPrivateKey, X509Certificate } from 'node:crypto'

export interface PemContent {
  readonly label: RegExp
  readonly what: string
  /** Throws if OpenSSL cannot read it. */
  readonly parse: (pem: Buffer) => unknown
}

const KEY = 'private key'
const parseCertificate = (pem: Buffer) => new X509Certificate(pem)

export const CERTIFICATE: PemContent = {
  label: /-----BEGIN CERTIFICATE-----/,
  what: 'certificate',
  parse: parseCertificate,
}

/** A certificate of an authority, which OpenSSL can mark as trusted. */
export const ROOT_CERTIFICATE: PemContent = {
  label: /-----BEGIN (TRUSTED )?CERTIFICATE-----/,
  what: 'certificate',
  parse: parseCertificate,
}

export const PRIVATE_KEY: PemContent = {
  label: /-----BEGIN ([A-Z]+ )?PRIVATE KEY-----/,
  what: KEY,
  parse: createPrivateKey,
}

/** Returns what is wrong with the content of a file, to follow its name; undefined if it is fit. */
export function unfitPem(pem: Buffer, { label, what, parse }: PemContent): string | undefined {
  const text = pem.toString('latin1')
  if (!label.test(text)) return `contains no ${what} (PEM)`
  if (what === KEY && /^(-----BEGIN ENCRYPTED|Proc-Type:.*ENCRYPTED)/m.test(text)) {
    return 'is encrypted, and the service has no passphrase for it. Decrypt it with `openssl pkey -in FILE -out KEY`.'
  }
  try {
    parse(pem)
    return undefined
  } catch {
    return `contains a damaged ${what} (PEM)`
  }
}
