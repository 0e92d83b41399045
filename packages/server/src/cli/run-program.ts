/** Runs a command line to its exit code. */
import { type Command, CommanderError } from 'commander'
import { EXIT, type Streams } from './context.ts'
import { exitCodeOf } from './failures/exit-code.ts'

/**
 * `words`: the command line without the interpreter and the script. `addressFrom`: what named the service that was
 * asked. Never rejects.
 */
export async function runProgram(
  words: readonly string[],
  program: Command,
  { stderr }: Streams,
  addressFrom?: () => string | undefined,
): Promise<number> {
  const options = words.includes('--') ? words.slice(0, words.indexOf('--')) : words
  const asJson = options.includes('--json')
  // What Commander would print is in the error that it throws.
  if (asJson) quieten(program)
  return exitCodeOf(() => program.parseAsync([...words], { from: 'user' }), {
    stderr,
    asJson,
    parserFailure,
    ...(addressFrom && { addressFrom }),
  })
}

/** Commander has said already what is wrong, unless it was quietened. */
function parserFailure(error: unknown) {
  if (!(error instanceof CommanderError)) return undefined
  const exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage
  return { exitCode, message: error.message.replace(/^error: /, '') }
}

function quieten(command: Command): void {
  command.configureOutput({ writeErr: () => {} })
  for (const child of command.commands) quieten(child)
}
