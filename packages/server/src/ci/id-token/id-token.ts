/** An ID token before and after its verification. One is never taken for the other. */

/** The claims of a token (RFC 7519), or of a file of claims. */
export type Claims = Readonly<Record<string, unknown>>

/** What a rule can match. */
export type Scalar = string | boolean | number

/** Read within limits, and nothing more: anybody can write this. */
export interface UnverifiedIdToken {
  readonly unverifiedHeader: UnverifiedHeader
  readonly unverifiedClaims: Claims
  /** 1 to 500 characters that a database stores. */
  readonly unverifiedIssuer: string
  /** The three parts, as they came. */
  readonly text: string
}

export interface UnverifiedHeader {
  readonly alg: string
  readonly kid: string | undefined
  readonly typ: string | undefined
}

declare const verified: unique symbol

/** Its issuer signed it, for us, and it is valid now. Only `verify.ts` makes one. */
export interface VerifiedIdToken {
  readonly [verified]: true
  /** Of the issuer whose key verified it. */
  readonly issuerId: string
  readonly claims: Claims
  readonly expiresAt: Date
  /** By which it is used once: its `jti`, or a hash of what was signed (A14). At most 255 characters. */
  readonly key: string
  /**
   * The claims that sessions and the audit log keep (A22), by name: without personal data, texts of at most 1024
   * characters that a database stores.
   */
  readonly kept: Readonly<Record<string, Scalar>>
}
