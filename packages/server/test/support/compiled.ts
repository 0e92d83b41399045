/** Where Node keeps what it has compiled, which halves the start of a process. Node checks it against the sources. */
import { fileURLToPath } from 'node:url'

export const COMPILED =
  process.env['NODE_COMPILE_CACHE'] ??
  fileURLToPath(new URL('../../../../node_modules/.cache/ratafia-tests', import.meta.url))
