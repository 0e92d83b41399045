/** A secret that is a text: in a variable, or in a file that a variable names. */
import { readFile, stat } from 'node:fs/promises'
import { textOr } from '../../files/foreign-text.ts'
import { systemReason } from '../../text/system-reason.ts'
import { ConfigError } from '../config.ts'
import type { SecretSource } from './sources.ts'

export interface ReadSecret<T> {
  readonly value: T
  /** What the operator should know, such as that others can read the file. */
  readonly warnings: readonly string[]
}

/** More than any of them has. */
const MOST_BYTES = 8 * 1024

/** Throws {@link ConfigError}. No message repeats what is in the file. */
export async function readSecretText<T>(source: SecretSource<T>): Promise<ReadSecret<T>> {
  if (source.from === 'variable') return { value: source.value, warnings: [] }
  const { file, variable, parse } = source
  const unreadable = (error: NodeJS.ErrnoException): never => {
    throw new ConfigError(`${variable}: ${file} cannot be read: ${systemReason(error)}.`)
  }
  const { mode, size } = await stat(file).catch(unreadable)
  if (size > MOST_BYTES) throw new ConfigError(`${variable}: ${file} has more than ${MOST_BYTES} bytes.`)
  const bytes = await readFile(file).catch(unreadable)
  const text = textOr(bytes, (fault) => new ConfigError(`${variable}: ${file} ${fault}`))
  const open = (mode & 0o077) !== 0 && process.platform !== 'win32'
  try {
    return {
      value: parse(text.trim()),
      warnings: open ? [`${file} can be read by others: chmod 600 ${file}`] : [],
    }
  } catch (error) {
    throw new ConfigError(`${variable}: ${file} ${error instanceof Error ? error.message : ''}`)
  }
}
