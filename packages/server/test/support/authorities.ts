/** Who decides, in tests that call operations themselves. */
import { type Authority, directAuthority } from '../../src/authority.ts'

/** May do everything, as `by`. */
export const deciding = (by = 'operator'): Authority => directAuthority({ actor: by, source: 'a test' }, by)
