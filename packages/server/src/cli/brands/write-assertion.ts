/** Prints an assertion, or writes it to a file. */
import type { Streams } from '../context.ts'
import { writeOut } from '../files/write-whole.ts'

/** Without `file` to standard output. Throws `FileError`. */
export const writeAssertion = (
  assertion: Uint8Array,
  file: string | undefined,
  streams: Streams,
): Promise<void> => writeOut(textOf(assertion), file, streams)

async function* textOf(assertion: Uint8Array): AsyncGenerator<string> {
  yield Buffer.from(assertion).toString('utf8')
}
