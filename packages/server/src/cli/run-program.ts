/** Runs a command line to its exit code. */
import { type Command, CommanderError } from 'commander'
import { Declined, EXIT, FileError, type Streams, UsageError } from './context.ts'
import type { Failure } from './explain-failure.ts'
import { escaped, harmless } from './output.ts'
import { coloured } from './terminal/colour.ts'

/** `words`: the command line without the interpreter and the script. Never rejects. */
export async function runProgram(
  words: readonly string[],
  program: Command,
  { stderr }: Streams,
): Promise<number> {
  const options = words.includes('--') ? words.slice(0, words.indexOf('--')) : words
  const asJson = options.includes('--json')
  // What Commander would print is in the error that it throws.
  if (asJson) quieten(program)
  const tell = ({ exitCode, code, lines, report }: Failure): number => {
    if (asJson) {
      const details = report === undefined ? {} : { report: JSON.parse(report) }
      const error = { code, exit_code: exitCode, message: lines.join('\n'), ...details }
      stderr.write(`${escaped(JSON.stringify({ error }))}\n`)
      return exitCode
    }
    const name = coloured('red', 'ratafia:', stderr)
    for (const line of lines) stderr.write(`${name} ${harmless(line)}\n`)
    if (report !== undefined) stderr.write(`${report}\n`)
    return exitCode
  }
  try {
    await program.parseAsync([...words], { from: 'user' })
    return EXIT.done
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.done
      if (!asJson) return EXIT.usage
      return tell({ exitCode: EXIT.usage, code: 'usage', lines: [error.message.replace(/^error: /, '')] })
    }
    const known = knownFailure(error)
    if (known) return tell({ ...known, lines: [known.message] })
    // It knows the errors of every layer: a command that succeeds does not load it.
    const { explainFailure } = await import('./explain-failure.ts')
    return tell(explainFailure(error))
  }
}

function knownFailure(error: unknown) {
  if (error instanceof UsageError) return { exitCode: EXIT.usage, code: 'usage', message: error.message }
  if (error instanceof FileError) return { exitCode: EXIT.refused, code: 'file', message: error.message }
  if (error instanceof Declined) return { exitCode: EXIT.refused, code: 'declined', message: error.message }
  return undefined
}

function quieten(command: Command): void {
  command.configureOutput({ writeErr: () => {} })
  for (const child of command.commands) quieten(child)
}
