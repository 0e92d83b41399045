/** Finds the home directory of the user who runs a command. */
import { userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { ConfigError } from '../config.ts'
import { type Environment, optional, readRow, textOf } from '../row.ts'
import { parseFilePath } from './file-path.ts'

/**
 * Returns HOME or, if it is not set, the home directory of the system's user; never the working directory. Call it only
 * if `otherwise`, the variable that replaces it, is not set: a container may have neither. Throws {@link ConfigError}.
 */
export function homeDirectory(environment: Environment, otherwise: string): string {
  const given = textOf(environment, process.platform === 'win32' ? 'USERPROFILE' : 'HOME')
  if (given !== undefined && isAbsolute(given)) return given
  if (given !== undefined) {
    throw new ConfigError(`HOME is ${given}, which is not an absolute path. Correct it, or set ${otherwise}.`)
  }
  const known = ofSystem()
  if (known !== undefined && isAbsolute(known)) return known
  throw new ConfigError(
    `HOME is not set, and the system has no home directory for this user. Set ${otherwise} or HOME to an absolute path.`,
  )
}

/** Returns the GnuPG home of `snap create-key`. The variable is snapd's. Throws {@link ConfigError}. */
export function gnupgHome(environment: Environment): string {
  const problems: string[] = []
  const given = readRow('SNAP_GNUPG_HOME', SNAP_GNUPG_HOME, environment, problems)
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return given ?? join(homeDirectory(environment, 'SNAP_GNUPG_HOME'), '.snap', 'gnupg')
}

const SNAP_GNUPG_HOME = optional({
  default: '~/.snap/gnupg',
  meaning: 'Directory in which `snap create-key` keeps private keys',
  parse: parseFilePath,
})

function ofSystem(): string | undefined {
  try {
    return userInfo().homedir
  } catch {
    return undefined
  }
}
