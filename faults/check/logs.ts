/** What nodes may log. A warning about a database that is away is none of a fault; everything else is looked at. */
import type { LogLine } from '../world/node-log.ts'

/** An error of these types says that something could not be asked, which is what faults are made of. */
const EXPECTED = /^(Unavailable|AbortError|TimeoutError)$/
/**
 * Lines that are not entries: why a start failed, which the suite repeats, the line of `world/clock.ts`, and Node's notes
 * of experimental and deprecated modules.
 */
const NOTES =
  /^ratafia: (The database cannot be used|a worker ended before it listened)|^clock |ExperimentalWarning|\[DEP\d+\]|^\(Use `node --trace-/
const ERROR = 50

/** `expected`: the messages of errors, and the types of errors in warnings, that the fault causes. */
export function* unexpectedLines(
  name: string,
  lines: readonly LogLine[],
  expected: readonly string[],
): Iterable<string> {
  for (const line of lines) {
    const why = whyUnexpected(line, expected)
    if (why !== undefined) yield `${name} logged ${why}: ${line.text}`
  }
}

function whyUnexpected(
  { level, message, errors, text }: LogLine,
  expected: readonly string[],
): string | undefined {
  if (expected.includes(message)) return undefined
  if (level === undefined) return NOTES.test(text) ? undefined : 'what is not an entry'
  if (level >= ERROR) return 'an error'
  const isExpected = (type: string) => EXPECTED.test(type) || expected.includes(type)
  return errors.every(isExpected) ? undefined : 'an unexpected error'
}
