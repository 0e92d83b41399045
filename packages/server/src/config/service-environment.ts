/** What the environment says to commands that talk to a service, wherever it runs. */
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { ConfigError } from './config.ts'
import { type Environment, readRow, textOf } from './row.ts'
import { COMMAND_VARIABLES } from './variables/commands.ts'

export interface ServiceEnvironment {
  /** Without a trailing slash. Undefined: commands work on the database. Throws `ConfigError`. */
  url(): string | undefined
  /** An agents file to log in with. */
  readonly agentFile: string | undefined
  /** A file with a management token. */
  readonly tokenFile: string | undefined
  /** Where `ratafia login` keeps management tokens. */
  readonly credentialsFile: string
}

export const serviceEnvironment = (environment: Environment): ServiceEnvironment => ({
  url: () => {
    const problems: string[] = []
    const url = readRow('RATAFIA_URL', COMMAND_VARIABLES.RATAFIA_URL, environment, problems)
    if (problems.length > 0) throw new ConfigError(problems.join('\n'))
    return url
  },
  agentFile: textOf(environment, 'RATAFIA_AGENT_FILE'),
  tokenFile: textOf(environment, 'RATAFIA_TOKEN_FILE'),
  credentialsFile: join(configHome(environment), 'ratafia', 'credentials.json'),
})

/** As the XDG Base Directory Specification says: a relative path is ignored. */
function configHome(environment: Environment): string {
  const given = textOf(environment, 'XDG_CONFIG_HOME')
  return given !== undefined && isAbsolute(given) ? given : join(homedir(), '.config')
}
