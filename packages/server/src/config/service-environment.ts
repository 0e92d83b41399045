/** What the environment says to commands that talk to a service, wherever it runs. */
import { isAbsolute, join } from 'node:path'
import { ConfigError } from './config.ts'
import { homeDirectory } from './paths/home-directory.ts'
import { type Environment, readRow, textOf } from './row.ts'
import { COMMAND_VARIABLES } from './variables/commands.ts'

/** Each reads its own variables alone, when it is asked, and throws `ConfigError` for an invalid one. */
export interface ServiceEnvironment {
  /** Without a trailing slash. Undefined: commands work on the database. */
  url(): string | undefined
  /** An agents file to log in with. */
  agentFile(): string | undefined
  /** A file with a management token. */
  tokenFile(): string | undefined
  /** Where `ratafia login` keeps management tokens. */
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

/** As the XDG Base Directory Specification says: a relative path is ignored. */
function configHome(environment: Environment): string {
  const given = textOf(environment, 'XDG_CONFIG_HOME')
  return given !== undefined && isAbsolute(given)
    ? given
    : join(homeDirectory(environment, 'XDG_CONFIG_HOME'), '.config')
}
