/** The error for files that differ from a signed release. The message names the file and the remedy. */
export class ReleaseError extends Error {
  override readonly name = 'ReleaseError'
}
