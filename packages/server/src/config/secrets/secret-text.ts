/** Reads a secret text from a variable, or from a file that a variable names. */
import { readFile, stat } from 'node:fs/promises'
import { textOr } from '../../files/foreign-text.ts'
import { systemReason } from '../../text/system-reason.ts'
import { ConfigError } from '../config.ts'
import type { SecretSource } from './sources.ts'

export interface ReadSecret<T> {
  readonly value: T
  /** Warnings for the operator, such as that other users can read the file. */
  readonly warnings: readonly string[]
}

/** More than any valid secret has. */
const MOST_BYTES = 8 * 1024

/** Throws {@link ConfigError}. Messages never repeat the content of the file. */
export async function readSecretText<T>(source: SecretSource<T>): Promise<ReadSecret<T>> {
  if (source.from === 'variable') return { value: source.value, warnings: [] }
  const { file, variable, parse, refuseOpen = false } = source
  const unreadable = (error: NodeJS.ErrnoException): never => {
    throw new ConfigError(`${variable}: ${file} cannot be read: ${systemReason(error)}.`)
  }
  const { mode, size, uid } = await stat(file).catch(unreadable)
  const user = process.geteuid?.()
  // Kubernetes gives a pod files of root, which only their group can read there.
  const others = user === uid || user === 0 ? 0o077 : 0o007
  const permissions = process.platform === 'win32' ? 0 : mode & others
  if (refuseOpen && (permissions & 0o007) !== 0) {
    throw new ConfigError(`${variable}: every user of this machine can open ${file}. Run chmod o= ${file}`)
  }
  if (size > MOST_BYTES) throw new ConfigError(`${variable}: ${file} has more than ${MOST_BYTES} bytes.`)
  const bytes = await readFile(file).catch(unreadable)
  const text = textOr(bytes, (fault) => new ConfigError(`${variable}: ${file} ${fault}`))
  try {
    return {
      value: parse(text.trim()),
      warnings: permissions !== 0 ? [`Other users can read ${file}. Run chmod 600 ${file}`] : [],
    }
  } catch (error) {
    throw new ConfigError(`${variable}: ${file} ${error instanceof Error ? error.message : ''}`)
  }
}
