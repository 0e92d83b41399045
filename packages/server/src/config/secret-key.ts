/** Reads the secret key that seals everything else, and makes its file for the embedded default. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { access, link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncDirectory } from '../files/sync-directory.ts'
import { ConfigError, type PreviousSecretConfig, type SecretConfig } from './config.ts'
import { notWritable, prepareDataDirectory } from './data-directory.ts'
import { parseSecretKey } from './values.ts'

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
  return readKeyFile(file, variable)
}

/** As {@link readSecretKey}, and none is made: for what is sealed already, and comes here. */
export async function readPresentSecretKey(secret: SecretConfig): Promise<SecretKey> {
  if (secret.from === 'file' && secret.makeBefore !== undefined && !(await exists(secret.file))) {
    throw new ConfigError(
      `RATAFIA_DATA_DIR: there is no secret key ${secret.file}. Put the one there under which the keys are sealed, ` +
        'or set RATAFIA_SECRET_KEY.',
    )
  }
  return readSecretKey(secret)
}

/** Undefined when there is none. Throws {@link ConfigError}. */
export async function readPreviousSecretKey(
  previous: PreviousSecretConfig | undefined,
): Promise<SecretKey | undefined> {
  if (previous === undefined) return undefined
  if (previous.from === 'variable') return { key: previous.key, warnings: [] }
  if (!(await exists(previous.file))) return undefined
  return readKeyFile(previous.file, 'RATAFIA_PREVIOUS_SECRET_KEY_FILE')
}

async function readKeyFile(file: string, variable: string): Promise<SecretKey> {
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

/**
 * What the files hold by now, at once and without a word: for a node that met something sealed under a key it does
 * not have. Undefined when no file is read at all, or one is not whole at this moment.
 */
export function rereadSecretKeys(
  secret: SecretConfig,
  previous: PreviousSecretConfig | undefined,
): { readonly current: Uint8Array; readonly previous: Uint8Array | undefined } | undefined {
  if (secret.from === 'variable' && previous?.from !== 'file') return undefined
  const keyIn = (source: SecretConfig | PreviousSecretConfig): Uint8Array =>
    source.from === 'variable' ? source.key : parseSecretKey(readFileSync(source.file, 'utf8'))
  try {
    return { current: keyIn(secret), previous: previous && unlessMissing(() => keyIn(previous)) }
  } catch {
    return undefined
  }
}

function unlessMissing<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Puts a new key into `file` and the one until now into `previous`. Each is whole at every moment, and after a crash
 * anywhere it is called again: with `previous` there and another key, nothing is left to do, and false is returned.
 */
export async function replaceSecretKey(file: string, previous: string): Promise<boolean> {
  try {
    await link(file, previous).catch(unlessThere)
    const [now, before] = await Promise.all([readFile(file), readFile(previous)])
    if (!now.equals(before)) return false
    const draft = await writeNewKey(file)
    // Nobody sees a moment without a key.
    await rename(draft, file)
    // Before anything is sealed under it.
    await syncDirectory(dirname(file))
    return true
  } catch (error) {
    throw notWritable(dirname(file), error)
  }
}

/** Puts the key until now where no process looks for it. Returns its path, or undefined when there is none. */
export async function retireSecretKey(previous: string, name: string): Promise<string | undefined> {
  const retired = `${previous.replace(/\.previous$/, '')}.${name}`
  try {
    await rename(previous, retired)
    return retired
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw notWritable(dirname(previous), error)
  }
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
  let draft = file
  try {
    draft = await writeNewKey(file)
    await link(draft, file).catch(unlessThere)
    await syncDirectory(dirname(file))
  } catch (error) {
    throw notWritable(dirname(file), error)
  } finally {
    if (draft !== file) await rm(draft, { force: true })
  }
}

/** Beside `file`, whole and on the disk, for nobody else to read. Returns its path. */
async function writeNewKey(file: string): Promise<string> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, `${randomBytes(32).toString('base64')}\n`, {
    mode: 0o600,
    flag: 'wx',
    flush: true,
  })
  return draft
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )
