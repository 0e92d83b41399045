/** The program: from `bin/ratafia.js` to the commands. */
import type { Command } from 'commander'
import type { CommandContext, Streams } from '../cli/context.ts'
import { addCommands, createProgram } from '../cli/program.ts'
import { runProgram } from '../cli/run-program.ts'
import { type Environment, gnupgHome, processEnvironment } from '../config/config.ts'
import type { StartOptions } from './options.ts'
import { RELEASE } from './release.ts'
import { serveCommands } from './serve-commands.ts'
import { commandSettings } from './settings.ts'

export interface RunOptions {
  /** Default: that of this process. */
  readonly environment?: Environment
  /** Default: those of this process. */
  readonly streams?: Streams
}

/** `words` as in `process.argv`. Resolves to the exit code; see `cli/context.ts`. */
export async function run(words: readonly string[], options: RunOptions = {}): Promise<number> {
  const program = await createRatafia(options, words[2])
  return runProgram(words.slice(2), program, options.streams ?? process)
}

/**
 * Every command, with its options and help; given the `first` word of a command line, those that can begin with it.
 * What a command does is loaded when it runs.
 */
export async function createRatafia(
  { environment = processEnvironment(), streams = process }: RunOptions = {},
  first?: string,
): Promise<Command> {
  const program = createProgram(streams, RELEASE)
  serveCommands(program, { environment, streams })
  await addCommands(program, commandContext(environment, streams), first)
  return program
}

/** The ways in which a command opens the installation that `environment` describes. */
function commandContext(environment: Environment, streams: Streams): CommandContext {
  const settings = () => commandSettings(environment, streams)
  const opening =
    (makes: NonNullable<StartOptions['makes']>): CommandContext['withInstallation'] =>
    async (work) => {
      const { openInstallation } = await import('./installation.ts')
      const { linkEntries } = await import('../audit/link.ts')
      const installation = await openInstallation({ ...settings(), schema: 'require', makes })
      try {
        const result = await work(installation)
        // The change is stored. If linking fails, the service or the next command links it.
        await linkEntries(installation).catch(() => undefined)
        return result
      } finally {
        await installation.close()
      }
    }
  return {
    streams,
    release: RELEASE,
    gnupgHome: gnupgHome(environment),
    withInstallation: opening('keys'),
    readInstallation: opening('nothing'),
    beginInstallation: opening('everything'),
    withUnopenedInstallation: async (needs, work) => {
      const { openUnopened } = await import('./unopened-installation.ts')
      const { installation, close } = await openUnopened(settings(), needs)
      return work(installation).finally(close)
    },
    openSealer: async () => {
      const { openSealer } = await import('./sealer.ts')
      const { readPresentSecretKey } = await import('../config/secret-key.ts')
      const { config, log } = settings()
      return openSealer(config, log, readPresentSecretKey)
    },
  }
}
