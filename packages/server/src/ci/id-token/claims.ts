/** Values of claims, by name or by place (contract/oidc.md, A7). */
import type { Claims } from './id-token.ts'

export type Scalar = string | boolean | number

/** The value of a claim: by its name, or with a slash at the beginning by a JSON Pointer (RFC 6901). */
export function claimOf(_claims: Claims, _name: string): unknown {
  throw new Error('not yet')
}
