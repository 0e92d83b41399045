/** What a rule demands of a claim (contract/oidc.md, A7). */

export type Scalar = string | boolean | number

export type Matcher = Scalar | Fold | Glob | { readonly any_of: readonly (Scalar | Fold | Glob)[] }
/** Equal without the case of ASCII letters. */
interface Fold {
  readonly fold: string
}
/** The whole value; `*` and `?` never stand for a slash. */
interface Glob {
  readonly glob: string
}

/** By the claim: its name, or with a slash at the beginning a JSON Pointer (RFC 6901). All must hold. */
export type Match = Readonly<Record<string, Matcher>>
