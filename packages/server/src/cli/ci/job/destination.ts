/** `--export`: where a credential goes. Never into arguments, and to standard output only if asked. */
import { access, appendFile, constants } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { JobEnvironment } from '../../../config/job-environment.ts'
import { systemReason } from '../../../files/system-reason.ts'
import { FileError, type Streams, UsageError } from '../../context.ts'
import { writeWhole } from '../../write-whole.ts'

export interface Destination {
  readonly kind: 'github-env' | 'dotenv' | 'file' | 'stdout'
  /** Undefined for standard output. */
  readonly path?: string
}

/** What `dotenv` writes, and `ci logout` looks for. */
export const DOTENV_FILE = 'ratafia.env'

/** Throws {@link UsageError}. */
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

/** Called before a credential is made that would then have nowhere to go. Throws {@link FileError}. */
export async function requireWritable({ kind, path }: Destination): Promise<void> {
  if (path === undefined) return
  // A new file takes the place of an older one: the directory decides.
  const needed = kind === 'github-env' ? path : dirname(path)
  await access(needed, constants.W_OK).catch((error: unknown) => {
    throw new FileError(`${path} cannot be written: ${systemReason(error)}. Nothing was asked for.`)
  })
}

/** Both are one line without a blank or a quote. Throws {@link FileError}. */
export async function exportCredential(
  { kind, path }: Destination,
  { variable, credentials }: { readonly variable: string; readonly credentials: string },
  { stdout }: Streams,
): Promise<void> {
  const line = `${kind === 'file' || kind === 'stdout' ? '' : `${variable}=`}${credentials}\n`
  if (path === undefined) stdout.write(line)
  else if (kind === 'github-env') await append(line, path)
  else await writeWhole(oneText(line), path, { secret: true })
}

/** The platform has made the file, and other steps write there too. */
async function append(line: string, path: string): Promise<void> {
  await appendFile(path, line).catch((error: unknown) => {
    throw new FileError(`${path} cannot be written: ${systemReason(error)}.`)
  })
}

async function* oneText(text: string) {
  yield text
}
