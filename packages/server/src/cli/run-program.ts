/** Runs a command line and returns its exit code. */
import { type Command, CommanderError } from 'commander'
import { EXIT, type Streams } from './context.ts'
import { exitCodeOf } from './failures/exit-code.ts'

/**
 * Runs `words`, the command line without the interpreter and the script. `addressFrom`: the option, variable
 * or login that named the service. Never rejects.
 */
export async function runProgram(
  words: readonly string[],
  program: Command,
  streams: Streams,
  addressFrom?: () => string | undefined,
): Promise<number> {
  const options = words.includes('--') ? words.slice(0, words.indexOf('--')) : words
  const asJson = options.includes('--json')
  // Commander then writes help only. Its refusals are printed like all others.
  if (asJson) quieten(program)
  return exitCodeOf(() => program.parseAsync([...words], { from: 'user' }), {
    streams,
    asJson,
    parserFailure,
    ...(addressFrom && { addressFrom }),
  })
}

function parserFailure(error: unknown) {
  if (!(error instanceof CommanderError)) return undefined
  if (error.exitCode === 0) return { exitCode: EXIT.done }
  // A group of commands lists its commands, and needs no further message.
  if (error.code === 'commander.help') return { exitCode: EXIT.usage }
  return { exitCode: EXIT.usage, message: asSentence(error.message) }
}

/** Rewrites a refusal of Commander in our style: `Unknown option '--jsn'. Did you mean --json?` */
function asSentence(refusal: string): string {
  const [said = '', ...more] = refusal
    .replace(/^error: /, '')
    .trimEnd()
    .split('\n')
  const hints = more.map((line) => line.replace(/^\((.*)\)$/, '$1'))
  const sentence = `${said.charAt(0).toUpperCase()}${said.slice(1).replace(/\.?$/, '.')}`
  return [sentence, ...hints, 'Run with --help for usage.'].join(' ')
}

function quieten(command: Command): void {
  command.configureOutput({ writeErr: () => {} })
  for (const child of command.commands) quieten(child)
}
