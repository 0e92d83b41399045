/** The file in which `ratafia login` keeps management tokens, by the service's address. Only its owner can read it. */
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ServiceEnvironment } from '../../config/command-environment.ts'
import { ConfigError } from '../../config/config.ts'
import { tryToWrite } from '../../files/draft.ts'
import { makeDirectories } from '../../files/make-directories.ts'
import { isObject, objectDocumentIn } from '../../foreign-json.ts'
import { systemReason } from '../../text/system-reason.ts'
import { FileError, type FoundService } from '../context.ts'
import { writeText } from '../files/write-whole.ts'
import { textOfFile } from '../files.ts'

export interface Credential {
  readonly token: string
  /** The name of the account, for people. */
  readonly account: string
  readonly sessionId: string
  /** When the token expires. */
  readonly expires: string
}

type Credentials = Readonly<Record<string, Credential>>

/** Returns undefined if the user has not logged in there. Throws {@link FileError} for a file that cannot be read. */
export async function credentialFor(url: string, file: string): Promise<Credential | undefined> {
  return (await readCredentials(file))[url]
}

/**
 * Finds the service that RATAFIA_URL or the latest kept login names; `ofThisHost` returns the one in the host's
 * settings. Throws `ConfigError`, {@link FileError}.
 */
export async function findService(
  { url: named, credentialsFile }: Pick<ServiceEnvironment, 'url' | 'credentialsFile'>,
  ofThisHost: () => FoundService,
): Promise<FoundService> {
  const url = named()
  if (url !== undefined) return { url, from: 'RATAFIA_URL' }
  const kept = await lastLogin(credentialsFile)
  return kept === undefined ? ofThisHost() : { url: kept, from: 'the last `ratafia login`' }
}

/**
 * Returns the address of the latest kept login; undefined without one, without a home directory, and if the
 * file belongs to another user. Throws {@link FileError}.
 */
async function lastLogin(credentialsFile: () => string): Promise<string | undefined> {
  const file = placeIn(credentialsFile)
  if (file === undefined) return undefined
  try {
    return Object.keys(await readCredentials(file)).at(-1)
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    if ((error.cause as NodeJS.ErrnoException | undefined)?.code === 'EACCES') return undefined
    throw new FileError(`${error.message} To work without it, pass --url or set RATAFIA_URL.`)
  }
}

function placeIn(credentialsFile: () => string): string | undefined {
  try {
    return credentialsFile()
  } catch (error) {
    if (error instanceof ConfigError) return undefined
    throw error
  }
}

/** Checks that a credential can be kept, before the user logs in for one. Throws {@link FileError}. */
export async function requireKeepable(file: string): Promise<void> {
  await readCredentials(file)
  await makeDirectories(dirname(file)).catch((error: unknown) => {
    throw new FileError(`${dirname(file)} cannot be created: ${systemReason(error)}. ${NOWHERE}`)
  })
  await tryToWrite(file).catch((error: unknown) => {
    throw new FileError(`${file} cannot be written: ${systemReason(error)}. ${NOWHERE}`)
  })
}

const NOWHERE = 'Set XDG_CONFIG_HOME to a directory where `ratafia login` can keep its token.'

/** Keeps the credential for the address; undefined removes it. Throws {@link FileError}. */
export async function keepCredential(
  url: string,
  credential: Credential | undefined,
  file: string,
): Promise<void> {
  const { [url]: _, ...others } = await readCredentials(file)
  const services = Object.entries({ ...others, ...(credential && { [url]: credential }) }).map(
    ([address, { sessionId, ...kept }]) => [address, { ...kept, session_id: sessionId }] as const,
  )
  const text = `${JSON.stringify({ services: Object.fromEntries(services) }, undefined, 2)}\n`
  await writeText(text, file, { secret: true })
}

async function readCredentials(file: string): Promise<Credentials> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.from('{"services":{}}')
    throw new FileError(`${file} cannot be read: ${systemReason(error)}.`, { cause: error })
  })
  const services = objectDocumentIn(textOfFile({ name: file, bytes }))?.['services']
  if (!isObject(services)) {
    throw new FileError(`${file} was not written by \`ratafia login\`. Remove it and log in again.`)
  }
  return Object.fromEntries(
    Object.entries(services).flatMap(([url, value]) => {
      const credential = credentialIn(value)
      return credential ? [[url, credential] as const] : []
    }),
  )
}

function credentialIn(value: unknown): Credential | undefined {
  const { token, account, session_id: sessionId, expires } = isObject(value) ? value : {}
  if (typeof token !== 'string' || typeof account !== 'string') return undefined
  if (typeof sessionId !== 'string' || typeof expires !== 'string') return undefined
  return { token, account, sessionId, expires }
}
