/** `--export`: writes a credential. It is never put into arguments, and printed to standard output only on request. */
import { access, constants, open } from 'node:fs/promises'
import type { JobEnvironment } from '../../../config/command-environment.ts'
import { tryToWrite } from '../../../files/draft.ts'
import { systemReason } from '../../../text/system-reason.ts'
import { FileError, type Streams, UsageError } from '../../context.ts'
import { writeText } from '../../files/write-whole.ts'
import { printCredential } from '../../login/print-credential.ts'

export interface Destination {
  readonly kind: 'github-env' | 'dotenv' | 'file' | 'stdout'
  /** The file; undefined for standard output. */
  readonly path?: string
}

/** The file that `dotenv` writes and `ci logout` looks for. */
export const DOTENV_FILE = 'ratafia.env'

/** Parses `--export`. Throws {@link UsageError}. */
export function destinationOf(text: string | undefined, job: JobEnvironment): Destination {
  const environmentFile = job.variable('GITHUB_ENV')
  const chosen = text ?? (environmentFile === undefined ? 'dotenv' : 'github-env')
  if (chosen === 'github-env') {
    if (environmentFile !== undefined) return { kind: 'github-env', path: environmentFile }
    throw new UsageError(
      '--export github-env: GITHUB_ENV is not set, so this is not a job of GitHub or Forgejo.',
    )
  }
  if (chosen === 'stdout') return { kind: 'stdout' }
  const [, kind, path = DOTENV_FILE] = /^(dotenv|file)(?::(.+))?$/s.exec(chosen) ?? []
  if (kind === 'dotenv') return { kind, path }
  if (kind === 'file' && chosen !== 'file') return { kind, path }
  throw new UsageError(
    `--export ${chosen} is not known. It can be github-env, dotenv, dotenv:PATH, file:PATH or stdout.`,
  )
}

/** Checks the destination before a credential is created for it. Throws {@link FileError}. */
export async function requireWritable({ kind, path }: Destination): Promise<void> {
  if (path === undefined) return
  const tried = kind === 'github-env' ? access(path, constants.W_OK) : tryToWrite(path)
  await tried.catch((error: unknown) => {
    throw new FileError(`${path} cannot be written: ${systemReason(error)}. No credential was requested.`)
  })
}

/** Writes the credential. Neither value contains a line break, a blank or a quote. Throws {@link FileError}. */
export async function writeCredential(
  { kind, path }: Destination,
  { variable, credentials }: { readonly variable: string; readonly credentials: string },
  streams: Streams,
): Promise<void> {
  const line = kind === 'file' || kind === 'stdout' ? credentials : `${variable}=${credentials}`
  if (path === undefined) await printCredential(line, streams)
  else if (kind === 'github-env') await append(`${line}\n`, path)
  else await writeText(`${line}\n`, path, { secret: true })
}

/**
 * Appends a line to a file that the platform created and other steps also write to. After a failure, removes
 * a partial line, unless another process has written after it.
 */
async function append(line: string, path: string): Promise<void> {
  try {
    const handle = await open(path, 'a')
    const { size } = await handle.stat()
    const bytes = Buffer.from(line)
    let written = 0
    const removePart = async () => {
      if ((await handle.stat()).size === size + written) await handle.truncate(size)
    }
    try {
      while (written < bytes.length) written += (await handle.write(bytes, written)).bytesWritten
    } catch (error) {
      await removePart().catch(() => undefined)
      throw error
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw new FileError(`${path} cannot be written: ${systemReason(error)}.`)
  }
}
