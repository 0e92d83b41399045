/** Node's compile cache, which halves a process's start-up time. Node checks it against the sources. */
import { fileURLToPath } from 'node:url'

export const COMPILED =
  process.env['NODE_COMPILE_CACHE'] ??
  fileURLToPath(new URL('../../../../node_modules/.cache/ratafia-tests', import.meta.url))
