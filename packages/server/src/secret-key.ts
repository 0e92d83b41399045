/** Reads the secret key that seals everything else, and makes its file for the embedded default. */
import { randomBytes } from 'node:crypto'
import { access, link, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ConfigError, type SecretConfig } from './config.ts'
import { parseSecretKey } from './config-values.ts'
import { notWritable, prepareDataDirectory } from './data-directory.ts'

export interface SecretKey {
  readonly key: Uint8Array
  /** Things the operator should know, such as a file others can read. */
  readonly warnings: readonly string[]
}

/** Throws {@link ConfigError} when there is no file, or it holds no key. Its content is in no message. */
export async function readSecretKey(secret: SecretConfig): Promise<SecretKey> {
  if (secret.from === 'variable') return { key: secret.key, warnings: [] }
  const { file, makeBefore } = secret
  // Whose setting it is that does not hold.
  const variable = makeBefore === undefined ? 'RATAFIA_SECRET_KEY_FILE' : 'RATAFIA_DATA_DIR'
  if (makeBefore !== undefined) await makeUnlessThere(file, makeBefore)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`${variable}: the secret key ${file} cannot be read (${error.code})`)
  })
  let key: Uint8Array
  try {
    key = parseSecretKey(text)
  } catch (error) {
    throw new ConfigError(`${variable}: ${file} ${error instanceof Error ? error.message : ''}`)
  }
  const { mode } = await stat(file)
  const open = (mode & 0o077) !== 0 && process.platform !== 'win32'
  return { key, warnings: open ? [`${file} can be read by others: chmod 600 ${file}`] : [] }
}

/** Two processes that start at once end with the file of one of them, whole: a link does not replace. */
async function makeUnlessThere(file: string, database: string): Promise<void> {
  // In this order: whoever makes the database has made the key before.
  const sealed = await exists(database)
  if (await exists(file)) return
  if (sealed) {
    throw new ConfigError(
      `RATAFIA_DATA_DIR: the secret key ${file} is missing, and the keys in ${database} are sealed under it. ` +
        'Restore the file from your backup, or set RATAFIA_SECRET_KEY if the key was there. Nothing else opens them.',
    )
  }
  await prepareDataDirectory(dirname(file))
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    await writeFile(draft, `${randomBytes(32).toString('base64')}\n`, {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    })
    await link(draft, file).catch(unlessThere)
  } catch (error) {
    throw notWritable(dirname(file), error)
  } finally {
    await rm(draft, { force: true })
  }
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )
