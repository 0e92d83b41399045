/** Runs a command line to its exit code. */
import { CommanderError } from 'commander'
import { ConfigError } from '../config.ts'
import { SchemaError } from '../database/index.ts'
import { RequestError, Unavailable } from '../errors.ts'
import { KeyringError } from '../keyring/errors.ts'
import { ImportError } from '../packages/import.ts'
import { describeError } from '../telemetry/serializers.ts'
import { type CommandContext, EXIT, UsageError } from './context.ts'
import { createProgram } from './program.ts'

/** `words`: the command line without the interpreter and the script. Never rejects. */
export async function runProgram(words: readonly string[], context: CommandContext): Promise<number> {
  const say = (line: string) => context.streams.stderr.write(`ratafia: ${line}\n`)
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
    if (error instanceof RequestError || error instanceof ImportError) {
      say(error.message)
      return EXIT.refused
    }
    if (error instanceof Unavailable) {
      say(`${error.message} Nothing is lost; try again.`)
      return EXIT.unavailable
    }
    if (isListenError(error)) {
      say(
        `cannot listen on ${error.address}:${error.port} (${error.code}). Set RATAFIA_HOST and RATAFIA_PORT.`,
      )
      return EXIT.configuration
    }
    say(`failed; please report this.\n${JSON.stringify(describeError(error), undefined, 2)}`)
    return EXIT.fault
  }
}

function isListenError(error: unknown): error is NodeJS.ErrnoException & { address: string; port: number } {
  return error instanceof Error && (error as NodeJS.ErrnoException).syscall === 'listen'
}
