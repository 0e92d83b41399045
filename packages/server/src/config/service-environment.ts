/** The environment of commands that connect to a service on any machine. */
import { isAbsolute, join } from 'node:path'
import { ConfigError } from './config.ts'
import { homeDirectory } from './paths/home-directory.ts'
import { type Environment, readRow, textOf } from './row.ts'
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
  const read = (name: 'RATAFIA_URL' | 'RATAFIA_AGENT_FILE' | 'RATAFIA_TOKEN_FILE') => () => {
    const problems: string[] = []
    const value = readRow(name, COMMAND_VARIABLES[name], environment, problems)
    if (problems.length > 0) throw new ConfigError(problems.join('\n'))
    return value
  }
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
