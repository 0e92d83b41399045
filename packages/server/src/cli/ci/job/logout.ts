/** `ratafia ci logout`: revokes the session of an exported credential, with the credential itself. */
import { systemClock } from '../../../clock.ts'
import { type CommandContext, UsageError } from '../../context.ts'
import { isReadable } from '../../files.ts'
import {
  type GivenCredential,
  readCredentialFile,
  readCredentialOnStandardInput,
} from '../../login/read-credential.ts'
import { note } from '../../output.ts'
import { DOTENV_FILE } from './destination.ts'
import { heldCredential, revokeSession } from './held-credential.ts'
import { withRetries } from './retry.ts'
import { serviceAddress } from './service-address.ts'

export interface LogoutOptions {
  readonly url?: string
  readonly from?: string
}

export async function logout({ url: given, from }: LogoutOptions, context: CommandContext): Promise<void> {
  const url = await serviceAddress(given, context)
  const { text, name } = await exported(from, context)
  const held = heldCredential(text, name)
  const { sessionId, end } = held
  if (end !== undefined && end <= systemClock()) {
    note(context.streams, `The session ${sessionId} already expired at ${end.toISOString()}.`)
    return
  }
  await withRetries(context.streams, (patience) => revokeSession(url, held, patience))
  note(context.streams, `Revoked the session ${sessionId}. Its credential no longer works.`)
}

/** The variables that tools read a credential from. */
const VARIABLES = ['SNAPCRAFT_STORE_CREDENTIALS', 'UBUNTU_STORE_AUTH', 'CHARMCRAFT_AUTH']

/** Throws `UsageError`, `FileError`. */
async function exported(
  from: string | undefined,
  { job, streams }: CommandContext,
): Promise<GivenCredential> {
  if (from === '-') return readCredentialOnStandardInput(streams)
  const [, kind, rest = ''] = /^(env|file):(.+)$/s.exec(from ?? '') ?? []
  if (kind === 'file') return readCredentialFile(rest)
  if (from !== undefined && kind !== 'env') {
    throw new UsageError(`--from ${from} is not known. It can be env:NAME, file:PATH or -.`)
  }
  const names = kind === 'env' ? [rest] : VARIABLES
  for (const name of names) {
    const text = job.variable(name)
    if (text !== undefined) return { text, name }
  }
  if (kind === 'env') throw new UsageError(`${rest} is not set, so there is no credential to revoke.`)
  if (await isReadable(DOTENV_FILE)) return readCredentialFile(DOTENV_FILE)
  throw new UsageError(
    `No credential found: ${names.join(', ')} are not set, and there is no file ${DOTENV_FILE}. Pass --from to point to the credential.`,
  )
}
