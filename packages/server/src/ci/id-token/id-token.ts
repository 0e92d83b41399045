/** An ID token before and after its verification. The types keep one from being used as the other. */

/** The claims of a token (RFC 7519), or of a file of claims. */
export type Claims = Readonly<Record<string, unknown>>

/** A value that a rule can match. */
export type Scalar = string | boolean | number

/** Checked for size and shape only: anyone can write such a token. */
export interface UnverifiedIdToken {
  readonly unverifiedHeader: UnverifiedHeader
  readonly unverifiedClaims: Claims
  /** 1 to 500 characters that a database can store. */
  readonly unverifiedIssuer: string
  /** The three parts, as they were sent. */
  readonly text: string
}

export interface UnverifiedHeader {
  readonly alg: string
  readonly kid: string | undefined
  readonly typ: string | undefined
}

declare const verified: unique symbol

/** An ID token that its issuer signed for us and that is valid now. Only `verify.ts` creates one. */
export interface VerifiedIdToken {
  readonly [verified]: true
  /** The id of the issuer whose key verified the token. */
  readonly issuerId: string
  readonly claims: Claims
  readonly expiresAt: Date
  /** Identifies the token, which works once: its `jti`, or a hash of the signed text (A14). At most 255 characters. */
  readonly key: string
  /**
   * The claims that sessions and the audit log keep (A22), by name: no personal data, and strings of at most 1024
   * characters that a database can store.
   */
  readonly kept: Readonly<Record<string, Scalar>>
}
