/** Delivers a new credential, or revokes it: afterwards, the user could not. */
import { systemReason } from '../../text/system-reason.ts'
import { FileError, type Streams } from '../context.ts'

/**
 * Returns the result of `deliver`. If it fails, calls `end` to revoke the credential, and adds the outcome to a
 * {@link FileError}; throws other errors unchanged. `what` begins a sentence, such as `The session 1234`.
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

/** Prints the text, and resolves once the system has all of it. Throws {@link FileError}. */
export function printCredential(text: string, { stdout }: Pick<Streams, 'stdout'>): Promise<void> {
  return new Promise((resolve, reject) => {
    // The error also reaches `bin/ratafia.js`, which would exit before the session is revoked.
    const ignore = () => {}
    stdout.once('error', ignore)
    stdout.write(`${text}\n`, (error) => {
      if (error) {
        Object.assign(error, { isHandled: true })
        return reject(new FileError(`Standard output cannot be written: ${systemReason(error)}.`))
      }
      stdout.removeListener('error', ignore)
      resolve()
    })
  })
}
