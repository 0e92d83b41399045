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
  // Commander then writes help only. Its refusals are said as all others are.
  if (asJson) quieten(program)
  return exitCodeOf(() => program.parseAsync([...words], { from: 'user' }), {
    stderr,
    asJson,
    parserFailure,
    ...(addressFrom && { addressFrom }),
  })
}

function parserFailure(error: unknown) {
  if (!(error instanceof CommanderError)) return undefined
  if (error.exitCode === 0) return { exitCode: EXIT.done }
  // A word that other commands follow shows them, and has nothing to add.
  if (error.code === 'commander.help') return { exitCode: EXIT.usage }
  return { exitCode: EXIT.usage, message: asSentence(error.message) }
}

/** A refusal of Commander in our style: `Unknown option '--jsn'. Did you mean --json?` */
function asSentence(refusal: string): string {
  const [said = '', ...more] = refusal
    .replace(/^error: /, '')
    .trimEnd()
    .split('\n')
  const hints = more.map((line) => line.replace(/^\((.*)\)$/, '$1'))
  const sentence = `${said.charAt(0).toUpperCase()}${said.slice(1).replace(/\.?$/, '.')}`
  return [sentence, ...hints, '--help shows what the command takes.'].join(' ')
}

function quieten(command: Command): void {
  command.configureOutput({ writeErr: () => {} })
  for (const child of command.commands) quieten(child)
}
