/** Revokes a new credential that could not be delivered: afterwards, the user could not revoke it. */
import { FileError } from '../context.ts'

/**
 * Returns the result of `deliver`. If it fails, calls `end` to revoke the credential, and adds the outcome to
 * a {@link FileError}; throws other errors unchanged. `what` names the credential at the beginning of a
 * sentence, such as `The session 1234`.
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
        () => `${what} was revoked.`,
        () => `${what} could not be revoked. Revoke it yourself.`,
      )
    throw error instanceof FileError ? new FileError(`${error.message} ${ended}`) : error
  }
}
