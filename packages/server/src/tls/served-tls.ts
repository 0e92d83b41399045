/** The certificate and key that the service serves, and what its processes have to know about them. */
import type { SecureContextOptions } from 'node:tls'

export interface TlsPair {
  /** The certificate and its chain, as PEM. */
  readonly cert: string
  /** The private key, as PEM. Never log it. */
  readonly key: string
  /** When the certificate expires, in milliseconds since 1970. */
  readonly until: number
}

/** Also a message between processes, so it has only values that JSON can express. */
export interface ServedTls {
  readonly pair: TlsPair
  /** Why the pair in the files is not served; absent while it is. Names the variable and the file. */
  readonly problem?: string
}

/** The pair that this process serves, which can change while the process runs. */
export interface TlsSource {
  current(): ServedTls
  /** Calls `listener` after each change. */
  follow(listener: (served: ServedTls) => void): void
}

/**
 * Returns the options of a TLS server. The suites are those that provide forward secrecy and authenticated encryption,
 * which every client of the last ten years has.
 */
export const secureContextOptions = ({ cert, key }: Pick<TlsPair, 'cert' | 'key'>): SecureContextOptions => ({
  cert,
  key,
  minVersion: 'TLSv1.2',
  ciphers:
    'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:ECDHE+AESGCM:ECDHE+CHACHA20',
})
