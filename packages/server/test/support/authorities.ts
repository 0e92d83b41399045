/** Authorities for tests that call operations directly. */
import { type DirectAuthority, directAuthority } from '../../src/authority.ts'

/** Returns an authority that allows everything, in the name of `by`. */
export const deciding = (by = 'operator'): DirectAuthority =>
  directAuthority({ actor: by, source: 'a test' }, by)
