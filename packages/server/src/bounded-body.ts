/** Reads the body of another program's answer, up to the length that we want to keep. */

/** Returns undefined if the body has more than `most` bytes. Rejects if the connection breaks. */
export async function boundedBody(
  body: AsyncIterable<Uint8Array> | null,
  most: number,
): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    // Leaving the loop cancels the rest of the body.
    if (length > most) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
