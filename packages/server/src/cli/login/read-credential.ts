/** Reads the credential that a command gets. Never from an argument: every user of the machine can read those. */
import { withoutWhiteSpace } from '../../http/credentials/pasted.ts'
import { type CommandContext, FileError, type Streams, UsageError } from '../context.ts'
import { readNamed, readStandardInput, textOfFile } from '../files.ts'

export interface GivenCredential {
  readonly text: string
  /** Where it was read, at the beginning of a sentence. */
  readonly name: string
}

const MOST = { bytes: 64 * 1024, refusal: 'Standard input is too long for a credential.' }

/** Throws `UsageError` for more text than a credential has. */
export const readCredentialOnStandardInput = async (streams: Streams): Promise<GivenCredential> => ({
  text: textOfFile({ name: 'Standard input', bytes: await readStandardInput(streams, MOST) }),
  name: 'Standard input',
})

/** Throws {@link FileError}. */
export async function readCredentialFile(path: string): Promise<GivenCredential> {
  const { bytes } = await readNamed(path)
  if (bytes.length > MOST.bytes) throw new FileError(`${path} is too long for a credential.`)
  return { text: textOfFile({ name: path, bytes }), name: path }
}

/** Returns the value from a line that sets a variable, such as `export NAME='…'`; otherwise the text itself. */
export function valueIn(text: string): string {
  const [, value] = /^(?:export )?[A-Za-z_]\w*=['"]?([\w+/-]{16,}={0,2})['"]?$/.exec(text.trim()) ?? []
  if (value !== undefined) return value
  // The lines of an INI file are what tells its values apart.
  return /^\s*\[[\w.:-]+\]\s*\n/.test(text) ? text.trim() : withoutWhiteSpace(text)
}

/** Help for an argument `-`, `env:NAME` or `file:PATH`. */
export const FROM_HELP = 'where the token is: - (standard input), env:NAME or file:PATH'

/** Asks for it at a terminal, without showing it. Throws {@link UsageError}, {@link FileError}. */
export async function readCredential(from: string, context: ReadsFrom): Promise<GivenCredential> {
  const found = await textAt(from, context)
  if (found.text.trim() !== '') return found
  throw new UsageError(`${found.name} is empty: there is no token in it.`)
}

type ReadsFrom = Pick<CommandContext, 'job' | 'streams'>

async function textAt(from: string, { job, streams }: ReadsFrom): Promise<GivenCredential> {
  if (from === '-') {
    if (!streams.stdin.isTTY) return readCredentialOnStandardInput(streams)
    const { askHidden } = await import('../password-input.ts')
    const [text = ''] = await askHidden(streams, ['Token: '], 'No token was given.')
    return { text, name: 'What was typed' }
  }
  const [, kind, rest = ''] = /^(env|file):(.+)$/s.exec(from) ?? []
  if (kind === 'file') return readCredentialFile(rest)
  if (kind === undefined) {
    // It may be the token, so it is not repeated.
    throw new UsageError(
      'A token does not go into an argument, which everybody on this machine can read. Give -, env:NAME or file:PATH.',
    )
  }
  const text = job.variable(rest)
  if (text === undefined) throw new UsageError(`${rest} is not set, so there is no token in it.`)
  return { text, name: rest }
}
