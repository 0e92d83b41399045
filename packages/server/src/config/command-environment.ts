/** The environment of commands: those that connect to a service on any machine, and `ratafia ci` in a CI job. */
import { userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { ConfigError, readVariable } from './config.ts'
import { type Environment, optional, textOf } from './row.ts'
import { parseFilePath } from './values.ts'
import { COMMAND_VARIABLES } from './variables/commands.ts'

/** Each function reads only its own variables when it is called, and throws `ConfigError` for an invalid one. */
export interface ServiceEnvironment {
  /** Returns the service's URL without a trailing slash; undefined if commands work on the database. */
  url(): string | undefined
  /** Returns the agents file to log in with. */
  agentFile(): string | undefined
  /** Returns the file with a management token. */
  tokenFile(): string | undefined
  /** Returns the file in which `ratafia login` keeps management tokens. */
  credentialsFile(): string
}

export function serviceEnvironment(environment: Environment): ServiceEnvironment {
  const read = (name: 'RATAFIA_URL' | 'RATAFIA_AGENT_FILE' | 'RATAFIA_TOKEN_FILE') => () =>
    readVariable(name, COMMAND_VARIABLES[name], environment)
  return {
    url: read('RATAFIA_URL'),
    agentFile: read('RATAFIA_AGENT_FILE'),
    tokenFile: read('RATAFIA_TOKEN_FILE'),
    credentialsFile: () => join(configHome(environment), 'ratafia', 'credentials.json'),
  }
}

/** Ignores a relative path, as the XDG Base Directory Specification requires. */
function configHome(environment: Environment): string {
  const given = textOf(environment, 'XDG_CONFIG_HOME')
  return given !== undefined && isAbsolute(given)
    ? given
    : join(homeDirectory(environment, 'XDG_CONFIG_HOME'), '.config')
}

/** The variables of the job's platform and of the user. */
export interface JobEnvironment {
  /** Returns undefined for a variable that is not set, or empty. */
  variable(name: string): string | undefined
  /**
   * Returns the file in which Kubernetes gives a job its ID token. If `isNamed`, a variable names the file, so it must
   * exist. Throws `ConfigError`.
   */
  idTokenFile(): { readonly path: string; readonly isNamed: boolean }
  /** The whole environment, for the platform's programs that a command starts. */
  readonly whole: Environment
}

export const jobEnvironment = (environment: Environment): JobEnvironment => ({
  variable: (name) => textOf(environment, name),
  idTokenFile: () => {
    const name = 'RATAFIA_ID_TOKEN_FILE'
    const path = readVariable(name, COMMAND_VARIABLES[name], environment)
    return { path, isNamed: textOf(environment, name) !== undefined }
  },
  whole: environment,
})

const SNAP_GNUPG_HOME = optional({
  default: '~/.snap/gnupg',
  meaning: 'Directory in which `snap create-key` keeps private keys',
  parse: parseFilePath,
})

/** Returns the GnuPG home of `snap create-key`. The variable is snapd's. Throws {@link ConfigError}. */
export const gnupgHome = (environment: Environment): string =>
  readVariable('SNAP_GNUPG_HOME', SNAP_GNUPG_HOME, environment) ??
  join(homeDirectory(environment, 'SNAP_GNUPG_HOME'), '.snap', 'gnupg')

/**
 * Returns HOME or, if it is not set, the home directory of the system's user; never the working directory. Call it only
 * if `otherwise`, the variable that replaces it, is not set: a container may have neither. Throws {@link ConfigError}.
 */
function homeDirectory(environment: Environment, otherwise: string): string {
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

function ofSystem(): string | undefined {
  try {
    return userInfo().homedir
  } catch {
    return undefined
  }
}
