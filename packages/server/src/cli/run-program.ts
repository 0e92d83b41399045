/** Runs a command line to its exit code. */
import { CommanderError } from 'commander'
import { ConfigError } from '../config/config.ts'
import { SchemaError } from '../database/index.ts'
import { RequestError, Unavailable } from '../errors.ts'
import { ImportError } from '../files/import-rows.ts'
import { KeyringError } from '../keyring/errors.ts'
import { describeError } from '../telemetry/serializers.ts'
import { WorkersFailed } from '../workers/supervise.ts'
import { type CommandContext, EXIT, FileError, UsageError } from './context.ts'
import { harmless } from './output.ts'
import { createProgram } from './program.ts'

/** `words`: the command line without the interpreter and the script. Never rejects. */
export async function runProgram(words: readonly string[], context: CommandContext): Promise<number> {
  const say = (line: string) => context.streams.stderr.write(`ratafia: ${harmless(line)}\n`)
  try {
    await createProgram(context).parseAsync([...words], { from: 'user' })
    return EXIT.done
  } catch (error) {
    // Commander has said what was wrong, or shown the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
    if (error instanceof UsageError) {
      say(error.message)
      return EXIT.usage
    }
    if (error instanceof ConfigError || error instanceof KeyringError || error instanceof SchemaError) {
      for (const line of error.message.split('\n')) say(line)
      return EXIT.configuration
    }
    if (error instanceof RequestError || error instanceof ImportError || error instanceof FileError) {
      say(error.message)
      return EXIT.refused
    }
    if (error instanceof Unavailable) {
      say(`${error.message.replace(/\.?$/, '.')} Nothing is lost; try again.`)
      return EXIT.unavailable
    }
    if (error instanceof WorkersFailed) {
      say(`${error.message}; the log says more.`)
      return error.exitCode
    }
    const refused = listenRefusal(error)
    if (refused !== undefined) {
      say(refused)
      return EXIT.configuration
    }
    context.streams.stderr.write(
      `ratafia: failed; please report this.\n${JSON.stringify(describeError(error), undefined, 2)}\n`,
    )
    return EXIT.fault
  }
}

/** What the system says of the address to listen on. */
const LISTEN_REFUSALS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is taken by another program',
  EADDRNOTAVAIL: 'this machine does not have that address',
  EACCES: 'this user may not take that port',
  ENOTFOUND: 'the name is not known',
}

/** Undefined for an error of something else. */
function listenRefusal(error: unknown): string | undefined {
  const { syscall, code, address, port, hostname } = error as Partial<ListenError>
  const where = port ? `${address}:${port}` : address
  const asked =
    syscall === 'listen' || syscall === 'bind' ? where : syscall === 'getaddrinfo' ? hostname : undefined
  if (!(error instanceof Error) || asked === undefined || code === undefined) return undefined
  return `cannot listen on ${asked}: ${LISTEN_REFUSALS[code] ?? code}. Set RATAFIA_HOST or RATAFIA_PORT.`
}

type ListenError = NodeJS.ErrnoException & { address: string; port: number; hostname: string }
