/** `SHA256SUMS`: the names and hashes of a release's files, as `sha256sum` writes them. */
import { ReleaseError } from './release-error.ts'

export const SUMS = 'SHA256SUMS'
export const SUMS_SIGNATURE = 'SHA256SUMS.sig'

/** The largest `SHA256SUMS`, in bytes. A release has about twenty files. */
export const MAX_SUMS_BYTES = 32 * 1024
const MAX_FILES = 200

/** A name that stays in its directory, and means the same to every shell and file system. */
const LINE = /^(?<sum>[0-9a-f]{64}) {2}(?<name>[A-Za-z0-9][A-Za-z0-9._~+-]{0,199})$/

/** Returns the hash of each file, in hexadecimal digits. Throws {@link ReleaseError}; messages contain `path`. */
export function parseSums(text: string, path: string): ReadonlyMap<string, string> {
  const refuse = (fault: string) =>
    new ReleaseError(`${path} is not a list of files and hashes as sha256sum writes it: ${fault}.`)
  if (text.length > MAX_SUMS_BYTES) throw refuse(`it is longer than ${MAX_SUMS_BYTES} bytes`)
  const lines = text.split('\n')
  if (lines.pop() !== '') throw refuse('its last line does not end')
  if (lines.length === 0 || lines.length > MAX_FILES) throw refuse(`it has ${lines.length} lines`)
  const sums = new Map<string, string>()
  const lowerCase = new Set<string>()
  for (const [at, line] of lines.entries()) {
    const { sum, name } = LINE.exec(line)?.groups ?? {}
    if (sum === undefined || name === undefined) {
      throw refuse(`line ${at + 1} is not a SHA-256 hash, two spaces and a plain file name`)
    }
    // On some file systems, two such names are one file.
    if (lowerCase.has(name.toLowerCase())) throw refuse(`line ${at + 1} repeats the name ${name}`)
    if (name === SUMS || name === SUMS_SIGNATURE) throw refuse(`line ${at + 1} names ${name}`)
    lowerCase.add(name.toLowerCase())
    sums.set(name, sum)
  }
  return sums
}
