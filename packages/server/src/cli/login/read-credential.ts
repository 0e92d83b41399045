/** Reads the credential for a command, but never from an argument, which every user of the machine can read. */
import type { Macaroon } from '@ratafia/macaroon'
import { withoutWhiteSpace } from '../../http/credentials/pasted.ts'
import { type CommandContext, FileError, type Streams, UsageError } from '../context.ts'
import { readNamed, readStandardInput, textOfFile } from '../files.ts'

export interface GivenCredential {
  readonly text: string
  /** The source of the text, as the beginning of a sentence. */
  readonly name: string
}

const MOST = { bytes: 64 * 1024, refusal: 'Standard input is too long for a credential.' }

/** Reads standard input. Throws `UsageError` for more text than a credential has. */
export async function readCredentialOnStandardInput(streams: Streams): Promise<GivenCredential> {
  const input = await readStandardInput(streams, MOST)
  return { text: textOfFile(input), name: input.name }
}

/** Reads a file. Throws {@link FileError}. */
export async function readCredentialFile(path: string): Promise<GivenCredential> {
  const file = await readNamed(path)
  if (file.bytes.length > MOST.bytes) throw new FileError(`${path} is too long for a credential.`)
  return { text: textOfFile(file), name: path }
}

/** Returns the value from a line that sets a variable, such as `export NAME='…'`; otherwise the text itself. */
export function valueIn(text: string): string {
  const [, value] = /^(?:export )?[A-Za-z_]\w*=['"]?([\w+/-]{16,}={0,2})['"]?$/.exec(text.trim()) ?? []
  if (value !== undefined) return value
  // The values in an INI file are separated by its lines.
  return /^\s*\[[\w.:-]+\]\s*\n/.test(text) ? text.trim() : withoutWhiteSpace(text)
}

/** Returns the conditions that a verifier checks, without those of third parties. */
export const conditionsOf = ({ caveats }: Macaroon): readonly string[] =>
  caveats
    .filter(({ verificationId }) => verificationId === undefined)
    .map(({ id }) => Buffer.from(id).toString('utf8'))

/** Returns the session's id; undefined for a token without a session. */
export const sessionIn = (conditions: readonly string[]): string | undefined =>
  conditions.flatMap((condition) => /^session-id ([0-9a-f-]{1,64})$/.exec(condition)?.[1] ?? [])[0]

/** The help for an argument `-`, `env:NAME` or `file:PATH`. */
export const FROM_HELP = 'the source of the token: - (standard input), env:NAME or file:PATH'

/** Reads the credential; asks for it at a terminal, without an echo. Throws {@link UsageError}, {@link FileError}. */
export async function readCredential(from: string, context: ReadsFrom): Promise<GivenCredential> {
  const found = await textAt(from, context)
  if (found.text.trim() !== '') return found
  throw new UsageError(`${found.name} is empty: it contains no token.`)
}

type ReadsFrom = Pick<CommandContext, 'job' | 'streams'>

async function textAt(from: string, { job, streams }: ReadsFrom): Promise<GivenCredential> {
  if (from === '-') {
    if (!streams.stdin.isTTY) return readCredentialOnStandardInput(streams)
    const { askHidden } = await import('../password-input.ts')
    const [text = ''] = await askHidden(streams, ['Token: '], 'No token was given.')
    return { text, name: 'The typed text' }
  }
  const [, kind, rest = ''] = /^(env|file):(.+)$/s.exec(from) ?? []
  if (kind === 'file') return readCredentialFile(rest)
  if (kind === undefined) {
    // The argument may be the token, so the message does not repeat it.
    throw new UsageError(
      "Don't pass a token as an argument, which all users of this machine can read. Pass -, env:NAME or file:PATH.",
    )
  }
  const text = job.variable(rest)
  if (text === undefined) throw new UsageError(`${rest} is not set, so it contains no token.`)
  return { text, name: rest }
}
