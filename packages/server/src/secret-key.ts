/** Reads the secret key that seals everything else, and makes its file for the embedded default. */
import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ConfigError, type SecretConfig } from './config.ts'
import { parseSecretKey } from './config-values.ts'

export interface SecretKey {
  readonly key: Uint8Array
  /** Things the operator should know, such as a file others can read. */
  readonly warnings: readonly string[]
}

/** Throws {@link ConfigError} when there is no file, or it holds no key. Its content is in no message. */
export async function readSecretKey(secret: SecretConfig): Promise<SecretKey> {
  if (secret.from === 'variable') return { key: secret.key, warnings: [] }
  if (secret.makeIfMissing) await makeUnlessThere(secret.file)
  const text = await readFile(secret.file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`RATAFIA_SECRET_KEY_FILE cannot be read: ${secret.file} (${error.code})`)
  })
  let key: Uint8Array
  try {
    key = parseSecretKey(text)
  } catch (error) {
    throw new ConfigError(
      `RATAFIA_SECRET_KEY_FILE: ${secret.file} ${error instanceof Error ? error.message : ''}`,
    )
  }
  const { mode } = await stat(secret.file)
  const open = (mode & 0o077) !== 0 && process.platform !== 'win32'
  return {
    key,
    warnings: open ? [`${secret.file} can be read by others: chmod 600 ${secret.file}`] : [],
  }
}

/** Two processes that start at once end with the file of one of them, whole: a link does not replace. */
async function makeUnlessThere(file: string): Promise<void> {
  const exists = await stat(file).then(
    () => true,
    () => false,
  )
  if (exists) return
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    await writeFile(draft, `${randomBytes(32).toString('base64')}\n`, {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    })
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft, { force: true })
  }
}
