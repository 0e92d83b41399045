/** Prints an assertion, or writes it to a file. */
import { isStreamed } from '../../files/streamed.ts'
import type { Streams } from '../context.ts'
import { writeOut } from '../files/write-whole.ts'
import { harmless } from '../terminal/harmless.ts'

/** Writes to standard output, or to `file` and then prints where the assertion is. Throws `FileError`. */
export async function writeAssertion(
  assertion: Uint8Array,
  file: string | undefined,
  streams: Streams,
): Promise<void> {
  const isPipe = file !== undefined && (await isStreamed(file))
  await writeOut(textOf(assertion), file, streams)
  if (file !== undefined && !isPipe) streams.stdout.write(`The signed assertion is in ${harmless(file)}.\n`)
}

async function* textOf(assertion: Uint8Array): AsyncGenerator<string> {
  yield Buffer.from(assertion).toString('utf8')
}
