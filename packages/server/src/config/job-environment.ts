/** The environment of a CI job, as `ratafia ci` reads it: what the platform sets there, and what a person names. */
import { ConfigError } from './config.ts'
import { type Environment, readRow, textOf } from './row.ts'
import { COMMAND_VARIABLES } from './variables/commands.ts'

export interface JobEnvironment {
  /** Undefined for a variable that is not set, or empty. */
  variable(name: string): string | undefined
  /**
   * The file in which Kubernetes gives a job its ID token. `isNamed`: a variable says where, so it must be there. Throws
   * `ConfigError`.
   */
  idTokenFile(): { readonly path: string; readonly isNamed: boolean }
  /** For the platform's programs that a command starts. */
  readonly whole: Environment
}

export const jobEnvironment = (environment: Environment): JobEnvironment => ({
  variable: (name) => textOf(environment, name),
  idTokenFile: () => {
    const problems: string[] = []
    const path = readRow(
      'RATAFIA_ID_TOKEN_FILE',
      COMMAND_VARIABLES.RATAFIA_ID_TOKEN_FILE,
      environment,
      problems,
    )
    if (problems.length > 0) throw new ConfigError(problems.join('\n'))
    return { path, isNamed: textOf(environment, 'RATAFIA_ID_TOKEN_FILE') !== undefined }
  },
  whole: environment,
})
