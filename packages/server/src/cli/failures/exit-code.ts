/** Turns the outcome of a command into its exit code, and reports why it failed. */
import { WorkersFailed } from '../../errors.ts'
import {
  Declined,
  EXIT,
  FileError,
  ServiceAway,
  ServiceRefusal,
  type Streams,
  UsageError,
} from '../context.ts'
import { coloured } from '../terminal/colour.ts'
import { escaped, harmless } from '../terminal/harmless.ts'
import { typed } from '../typed.ts'
import type { Failure } from './explain-failure.ts'

export interface ExitCodeOptions {
  readonly streams: Pick<Streams, 'stderr' | 'calledAs'>
  /** Default: false, for people. */
  readonly asJson?: boolean
  /** Recognises an error of the command-line parser; without a message if it showed help. Default: no parser. */
  readonly parserFailure?: (
    error: unknown,
  ) => { readonly exitCode: number; readonly message?: string } | undefined
  /** Returns the option, variable or login that named the service. Absent if the command did not send a request. */
  readonly addressFrom?: () => string | undefined
}

/** Runs `work`, reports its error, and returns the exit code. Never rejects. */
export async function exitCodeOf(
  work: () => Promise<unknown>,
  {
    streams,
    asJson = false,
    parserFailure = () => undefined,
    addressFrom = () => undefined,
  }: ExitCodeOptions,
): Promise<number> {
  const { stderr } = streams
  const tell = ({ exitCode, code, lines, report }: Failure): number => {
    if (asJson) {
      const details = report === undefined ? {} : { report: JSON.parse(report) }
      const error = { code, exit_code: exitCode, message: lines.join('\n'), ...details }
      stderr.write(`${escaped(JSON.stringify({ error }))}\n`)
      return exitCode
    }
    const name = coloured('red', 'ratafia:', stderr)
    for (const line of lines) stderr.write(`${name} ${harmless(typed(line, streams))}\n`)
    if (report !== undefined) stderr.write(`${report}\n`)
    return exitCode
  }
  try {
    await work()
    return EXIT.done
  } catch (error) {
    const refused = parserFailure(error)
    if (refused) {
      const { exitCode, message } = refused
      return message === undefined ? exitCode : tell({ exitCode, code: 'usage', lines: [message] })
    }
    if (error instanceof WorkersFailed) {
      const lines = error.told ? [] : [`${error.message}; see the log.`]
      return tell({ exitCode: error.exitCode, code: 'workers', lines })
    }
    const known = knownFailure(error)
    if (known) {
      const hint = 'aboutAddress' in known && known.aboutAddress ? hintAbout(addressFrom()) : ''
      return tell({ ...known, lines: [`${known.message}${hint}`] })
    }
    // This module knows the errors of every layer, so commands that succeed do not load it. Nor does a supervisor whose
    // files may be of another release by now.
    const { explainFailure } = await import('./explain-failure.ts')
    return tell(explainFailure(error))
  }
}

/** Returns a hint about the source of the address, or nothing if an option gave it. */
const hintAbout = (from: string | undefined): string =>
  from === undefined || from === '--url' ? '' : ` The address comes from ${from}. Pass --url for another.`

function knownFailure(error: unknown) {
  if (error instanceof UsageError) return { exitCode: EXIT.usage, code: 'usage', message: error.message }
  if (error instanceof FileError) return { exitCode: EXIT.refused, code: 'file', message: error.message }
  if (error instanceof Declined) return { exitCode: EXIT.refused, code: 'declined', message: error.message }
  if (!(error instanceof ServiceRefusal || error instanceof ServiceAway)) return undefined
  const { message, aboutAddress } = error
  return error instanceof ServiceRefusal
    ? { exitCode: EXIT.refused, code: error.code, message, aboutAddress }
    : { exitCode: EXIT.unavailable, code: 'unavailable', message, aboutAddress }
}
