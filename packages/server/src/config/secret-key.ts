/** Reads the secret key that seals all other keys, and creates its file for the embedded default. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { access, link, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { writeDraft } from '../files/draft.ts'
import { ConfigError } from './config.ts'
import { notWritable, prepareDataDirectory } from './data-directory.ts'
import { readSecretText } from './secrets/secret-text.ts'
import type { PreviousSecretConfig, SecretConfig } from './secrets/sources.ts'
import { parseSecretKey } from './values.ts'

export interface SecretKey {
  readonly key: Uint8Array
  /** Warnings for the operator, such as that other users can read the file. */
  readonly warnings: readonly string[]
}

/** Throws {@link ConfigError} if there is no file, or if it has no key. Messages never repeat its content. */
export async function readSecretKey(secret: SecretConfig): Promise<SecretKey> {
  if (secret.from === 'variable') return { key: secret.key, warnings: [] }
  const { file, makeBefore } = secret
  // The variable that messages name.
  const variable = makeBefore === undefined ? 'RATAFIA_SECRET_KEY_FILE' : 'RATAFIA_DATA_DIR'
  if (makeBefore !== undefined) await makeUnlessThere(file, makeBefore)
  return readKeyFile(file, variable)
}

/** Like {@link readSecretKey}, but never creates a key: for data that is already sealed, such as a backup. */
export async function readPresentSecretKey(secret: SecretConfig): Promise<SecretKey> {
  if (secret.from === 'file' && secret.makeBefore !== undefined && !(await exists(secret.file))) {
    throw new ConfigError(
      `RATAFIA_DATA_DIR: the secret key ${secret.file} does not exist. Restore the key that sealed the data, ` +
        'or set RATAFIA_SECRET_KEY.',
    )
  }
  return readSecretKey(secret)
}

/** Returns undefined if there is no previous key. Throws {@link ConfigError}. */
export async function readPreviousSecretKey(
  previous: PreviousSecretConfig | undefined,
): Promise<SecretKey | undefined> {
  if (previous === undefined) return undefined
  if (previous.from === 'variable') return { key: previous.key, warnings: [] }
  if (!(await exists(previous.file))) return undefined
  return readKeyFile(previous.file, 'RATAFIA_PREVIOUS_SECRET_KEY_FILE')
}

async function readKeyFile(file: string, variable: string): Promise<SecretKey> {
  const source = { from: 'file', file, variable, parse: parseSecretKey } as const
  const { value: key, warnings } = await readSecretText(source)
  return { key, warnings }
}

/**
 * Reads the current content of the files synchronously and without warnings, for a node that found something sealed
 * under a key that it does not have. Returns undefined if no file is configured, or if one is incomplete at the moment.
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
 * Writes a new key to `file`, and keeps the old one in `previous`. Both are complete at every moment. Call it
 * again after a crash. Returns false if `previous` exists with a different key than `file`, because then
 * there is nothing left to do.
 */
export async function replaceSecretKey(file: string, previous: string): Promise<boolean> {
  try {
    await link(file, previous).catch(unlessThere)
    const [now, before] = await Promise.all([readFile(file), readFile(previous)])
    if (!now.equals(before)) return false
    // The file always has a key, and the new one is on the disk before anything is sealed under it.
    await writeDraft(file, newKey(), { secret: true, existing: 'replace' })
    return true
  } catch (error) {
    throw notWritable(dirname(file), error)
  }
}

/** Moves the old key to a path that no process reads. Returns that path, or undefined if there is no old key. */
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

/** Creates the file unless it exists. If two processes start at once, they use the same file. */
async function makeUnlessThere(file: string, database: string): Promise<void> {
  // The order of the checks matters: a process writes the key before the database.
  const sealed = await exists(database)
  if (await exists(file)) return
  if (sealed) {
    throw new ConfigError(
      `RATAFIA_DATA_DIR: the secret key ${file} is missing, and the keys in ${database} are sealed under it. ` +
        'Restore the file from your backup, or set RATAFIA_SECRET_KEY if you kept the key there. No other key can open them.',
    )
  }
  await prepareDataDirectory(dirname(file))
  try {
    await writeDraft(file, newKey(), { secret: true, existing: 'keep' }).catch(unlessThere)
  } catch (error) {
    throw notWritable(dirname(file), error)
  }
}

const newKey = (): string => `${randomBytes(32).toString('base64')}\n`

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )
