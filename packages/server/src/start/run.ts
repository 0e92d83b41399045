/** Runs the program: from `bin/ratafia.js` to the commands. */
import type { Command } from 'commander'
import type { PasswordHasher } from '../accounts/passwords/password-hasher.ts'
import { type CommandContext, type Streams, UsageError } from '../cli/context.ts'
import { exitCodeOf } from '../cli/failures/exit-code.ts'
import { clockDifference } from '../clock.ts'
import { gnupgHome, jobEnvironment, serviceEnvironment } from '../config/command-environment.ts'
import { type Environment, processEnvironment } from '../config/config.ts'
import { addressOfThisHost } from '../config/local-address.ts'
import { parseServiceUrl } from '../config/values.ts'
import { inProcessService } from './operations/in-process-service.ts'
import type { StartOptions } from './options.ts'
import { RELEASE } from './release/release.ts'
import { runningAs } from './release/running-as.ts'
import { serve } from './serve.ts'
import { commandSettings } from './settings.ts'

/** The source of the URL of the service that a command uses, once it is known. */
interface AskedService {
  from?: string
}

export interface RunOptions {
  /** Default: the environment of this process. */
  readonly environment?: Environment
  /** Default: the streams of this process. */
  readonly streams?: Streams
  /** See {@link StartOptions}; for commands that open the installation in this process. */
  readonly passwords?: PasswordHasher
}

/** Runs the command line `words`, as in `process.argv`. Resolves to the exit code; see `cli/context.ts`. */
export async function run(words: readonly string[], options: RunOptions = {}): Promise<number> {
  const [first = '', ...rest] = words.slice(2)
  const { environment = processEnvironment(), streams = processStreams(environment) } = options
  // Every process of a service runs this. The code for all other command lines would use 3 MB in each.
  if (first === 'serve' && rest.length === 0)
    return exitCodeOf(() => serve({ environment, streams }), { streams })
  // A container runs this every few seconds.
  if (first === 'health' && rest.length === 0) {
    const { checkHealth } = await import('../cli/upkeep/health.ts')
    return exitCodeOf(() => checkHealth(environment, streams), { streams })
  }
  if (first === '-v' || first === '--version') {
    // Commander prints the version as soon as it reads the option.
    if (rest.join() === '--json') return run([...words.slice(0, 2), 'version', '--json'], options)
    // Loading Commander would take most of the time.
    return exitCodeOf(async () => streams.stdout.write(`ratafia ${RELEASE}\n`), { streams })
  }
  const { runProgram } = await import('../cli/run-program.ts')
  // Commander's own `help` reads only one word.
  if (first === 'help' && rest.length > 1) return run([...words.slice(0, 2), ...rest, '--help'], options)
  const asked: AskedService = {}
  const ratafia = await createRatafia({ ...options, environment, streams }, first, asked)
  return runProgram(words.slice(2), ratafia, streams, () => asked.from)
}

function processStreams(environment: Environment): Streams {
  const { stdin, stdout, stderr } = process
  return { stdin, stdout, stderr, calledAs: runningAs(environment).calledAs }
}

/** Creates every command, or those that begin with the word `first`. The code of a command is loaded when it runs. */
export async function createRatafia(
  options: RunOptions = {},
  first?: string,
  asked: AskedService = {},
): Promise<Command> {
  const { environment = processEnvironment(), streams = process } = options
  const { addCommands, createProgram } = await import('../cli/program.ts')
  const { serveCommands } = await import('./serve-commands.ts')
  const program = createProgram(streams, RELEASE)
  serveCommands(program, { environment, streams })
  await addCommands(program, commandContext({ ...options, environment, streams }, asked), first)
  return program
}

function readServiceUrl(text: string): string {
  try {
    return parseServiceUrl(text)
  } catch (error) {
    throw new UsageError(`--url ${error instanceof Error ? error.message : String(error)}`)
  }
}

type Given = RunOptions & Required<Pick<RunOptions, 'environment' | 'streams'>>

/** Returns the functions that a command uses to open the installation that `environment` describes. */
function commandContext({ environment, streams, ...others }: Given, asked: AskedService): CommandContext {
  const settings = () => ({ ...commandSettings(environment, streams), ...others })
  const fromEnvironment = serviceEnvironment(environment)
  const service = {
    ...fromEnvironment,
    url: () => {
      const url = fromEnvironment.url()
      if (url !== undefined) asked.from = 'RATAFIA_URL'
      return url
    },
  }
  const opening =
    (makes: NonNullable<StartOptions['makes']>): CommandContext['withInstallation'] =>
    async (work) => {
      const { openInstallation } = await import('./installation.ts')
      const { linkEntries } = await import('../audit/link.ts')
      const options = settings()
      const installation = await openInstallation({ ...options, schema: 'require', makes })
      const differs = clockDifference(installation.clockAhead())
      if (differs !== undefined)
        options.log.warn(`${differs} This command uses the database's. Set both by NTP.`)
      try {
        const result = await work(installation)
        // The change is stored. If linking its entries fails, the service or the next command with a change links them.
        if (makes !== 'nothing') await linkEntries(installation).catch(() => undefined)
        return result
      } finally {
        await installation.close()
      }
    }
  return {
    streams,
    release: RELEASE,
    versionFacts: async () => {
      const { versionFacts } = await import('./release/version-facts.ts')
      return versionFacts(runningAs(environment).kind)
    },
    licenceTexts: async () => (await import('./release/assets.ts')).licenceTexts(),
    serviceOn: inProcessService,
    findService: async (given) => {
      if (given !== undefined) return { url: readServiceUrl(given), from: '--url' }
      const { findService } = await import('../cli/service/credentials.ts')
      const found = await findService(service, () => addressOfThisHost(environment))
      asked.from = found.from
      return found
    },
    service,
    readServiceUrl,
    gnupgHome: () => gnupgHome(environment),
    job: jobEnvironment(environment),
    withInstallation: opening('keys'),
    readInstallation: opening('nothing'),
    beginInstallation: opening('everything'),
    withUnopenedInstallation: async (needs, work) => {
      const { openUnopened } = await import('./unopened-installation.ts')
      const { installation, close } = await openUnopened(settings(), needs)
      return work(installation).finally(close)
    },
    runDemo: async (given) => {
      const { runDemo } = await import('./demo/run-demo.ts')
      await runDemo(given, { environment, streams })
    },
    openSealer: async () => {
      const { openSealer } = await import('./sealer.ts')
      const { readPresentSecretKey } = await import('../config/secret-key.ts')
      const { config, log } = settings()
      return openSealer(config, log, readPresentSecretKey)
    },
  }
}
