/** How this program is installed, and how its user calls it. */
import { realpathSync } from 'node:fs'
import { isSea } from 'node:sea'
import type { Environment } from '../../config/config.ts'

export interface RunningAs {
  /** The one-file program, an npm package in some `node_modules`, or a checkout of the repository. */
  readonly kind: 'program' | 'package' | 'checkout'
  /** The words to type for `ratafia`, quoted for a shell. */
  readonly calledAs: string
}

/**
 * `script` is the path of the script that Node runs, `program` that of the one-file program as typed. npm sets `npm_command` for `npx` and `npm exec`. In a checkout, `--no-install`
 * keeps npx from asking a registry for a package of that name.
 */
export function runningAs(
  environment: Environment,
  script = process.argv[1] ?? '',
  program: string | undefined = isSea() ? process.argv0 : undefined,
): RunningAs {
  if (program !== undefined) {
    return { kind: 'program', calledAs: quoted(program) }
  }
  if (!/[\\/]node_modules[\\/]ratafia[\\/]/.test(real(script))) {
    return { kind: 'checkout', calledAs: 'npx --no-install ratafia' }
  }
  return { kind: 'package', calledAs: environment['npm_command'] === 'exec' ? 'npx ratafia' : 'ratafia' }
}

const quoted = (path: string): string =>
  /^[\w./~+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`

/** Resolves the link that npm makes in `node_modules/.bin`. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
