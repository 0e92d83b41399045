/** Prints a credential, and notices if nobody gets it. */
import { systemReason } from '../../text/system-reason.ts'
import { FileError, type Streams } from '../context.ts'

/** Resolves once the system has the whole text. Throws {@link FileError}. */
export function printCredential(text: string, { stdout }: Pick<Streams, 'stdout'>): Promise<void> {
  return new Promise((resolve, reject) => {
    // The error also reaches `bin/ratafia.js`, which would end the process before the session is ended.
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
