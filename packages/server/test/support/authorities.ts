/** Who decides, in tests that call operations themselves. */
import { type DirectAuthority, directAuthority } from '../../src/authority.ts'

/** May do everything, as `by`. */
export const deciding = (by = 'operator'): DirectAuthority =>
  directAuthority({ actor: by, source: 'a test' }, by)
