/** Runs a command line to its exit code. */
import { type Command, CommanderError } from 'commander'
import { Declined, EXIT, FileError, type Streams, UsageError } from './context.ts'
import { harmless } from './output.ts'

/** `words`: the command line without the interpreter and the script. Never rejects. */
export async function runProgram(
  words: readonly string[],
  program: Command,
  { stderr }: Streams,
): Promise<number> {
  const say = (line: string) => stderr.write(`ratafia: ${harmless(line)}\n`)
  try {
    await program.parseAsync([...words], { from: 'user' })
    return EXIT.done
  } catch (error) {
    // Commander has said what was wrong, or shown the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
    if (error instanceof UsageError || error instanceof FileError || error instanceof Declined) {
      say(error.message)
      return error instanceof UsageError ? EXIT.usage : EXIT.refused
    }
    // It knows the errors of every layer: a command that succeeds does not load it.
    const { explainFailure } = await import('./explain-failure.ts')
    const { exitCode, lines, report } = explainFailure(error)
    for (const line of lines) say(line)
    if (report !== undefined) stderr.write(`${report}\n`)
    return exitCode
  }
}
