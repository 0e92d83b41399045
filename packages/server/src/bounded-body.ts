/** The body of another program's answer: reading it ends where it gets longer than we want to keep. */

/** Undefined if it has more than `most` bytes. Rejects as reading does when the connection breaks. */
export async function boundedBody(
  body: AsyncIterable<Uint8Array> | null,
  most: number,
): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    // Leaving the loop cancels the rest.
    if (length > most) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
