/** The environment of a CI job, with the variables of the platform and of the user, for `ratafia ci`. */
import { ConfigError } from './config.ts'
import { type Environment, readRow, textOf } from './row.ts'
import { COMMAND_VARIABLES } from './variables/commands.ts'

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
