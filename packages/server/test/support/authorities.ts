/** Authorities for tests that call operations directly. */
import { type Authority, type DirectAuthority, directAuthority } from '../../src/authority.ts'

/** Returns an authority that allows everything, in the name of `by`. */
export const deciding = (by = 'operator'): DirectAuthority =>
  directAuthority({ actor: by, source: 'a test' }, by)

/** Returns a function that returns operations with this authority. */
export const actingAs =
  (authority: Authority) =>
  <Input extends { readonly authority: Authority }, Deps, Result>(
    operation: (input: Input, deps: Deps) => Result,
  ) =>
  (input: Omit<Input, 'authority'>, deps: Deps): Result =>
    operation({ ...input, authority } as Input, deps)
