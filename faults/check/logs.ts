/** Finds the lines that nodes should not have logged. Warnings about an unavailable database are expected. */
import type { LogLine } from '../world/node-log.ts'

/** Types of errors that only mean that another program could not be reached, which is what the faults cause. */
const EXPECTED = /^(Unavailable|AbortError|TimeoutError)$/
/**
 * Expected lines that are not log entries: why a start failed (the suite tries again), the line of `world/clock.ts`,
 * and Node's warnings about experimental and deprecated modules.
 */
const NOTES =
  /^ratafia: (The database cannot be used|a worker exited before it was listening)|^clock |ExperimentalWarning|\[DEP\d+\]|^\(Use `node --trace-/
const ERROR = 50

/** Yields a sentence for each bad line. `expected`: messages of errors and types of errors that the fault causes. */
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
  if (level === undefined) return NOTES.test(text) ? undefined : 'a line that is not an entry'
  if (level >= ERROR) return 'an error'
  const isExpected = (type: string) => EXPECTED.test(type) || expected.includes(type)
  return errors.every(isExpected) ? undefined : 'an unexpected error'
}
