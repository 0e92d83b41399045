/** A credential that nobody gets is ended again: there would be nothing to end it with. */
import { FileError } from '../context.ts'

/**
 * Returns what `deliver` does. If it fails, `end` takes back what was made, and the error says so. `what` is its name at
 * the beginning of a sentence, such as `The session 1234`. Throws {@link FileError} in place of `FileError`, and other
 * errors unchanged.
 */
export async function orEnd<T>(
  what: string,
  deliver: () => Promise<T>,
  end: () => Promise<unknown>,
): Promise<T> {
  try {
    return await deliver()
  } catch (error) {
    const ended = await Promise.resolve()
      .then(end)
      .then(
        () => `${what} is ended again.`,
        () => `${what} could not be ended: end it yourself.`,
      )
    throw error instanceof FileError ? new FileError(`${error.message} ${ended}`) : error
  }
}
