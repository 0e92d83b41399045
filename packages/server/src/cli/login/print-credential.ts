/** Prints a credential, and notices if it cannot be written. */
import { systemReason } from '../../text/system-reason.ts'
import { FileError, type Streams } from '../context.ts'

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
