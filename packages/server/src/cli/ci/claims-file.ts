/** `--claims` of `ratafia publishers test`: the claims of a job, or its whole ID token. */
import type { Claims } from '../../ci/id-token/id-token.ts'
import { objectDocumentIn } from '../../foreign-json.ts'
import { FileError, type Streams } from '../context.ts'
import { readNamed, readStandardInput, textOfFile } from '../files.ts'

export interface ReadClaims {
  readonly claims: Claims
  /** They come from an ID token, whose signature was not checked. */
  readonly unverified: boolean
}

const MOST_BYTES = 64 * 1024
const TOO_LARGE = `has more than ${MOST_BYTES / 1024} KiB, which no ID token has`

/** `-` is standard input. Throws {@link FileError}, and `RequestError` for a text that looks like an ID token and is not one. */
export async function readClaims(file: string, streams: Streams): Promise<ReadClaims> {
  const { name, text } = await textOf(file, streams)
  if (!text.startsWith('{')) {
    const { readIdToken } = await import('../../ci/id-token/read.ts')
    return { claims: readIdToken(text).unverifiedClaims, unverified: true }
  }
  const claims = objectDocumentIn(text)
  if (claims) return { claims, unverified: false }
  throw new FileError(`${name} is not a JSON object.`)
}

async function textOf(file: string, streams: Streams) {
  if (file === '-') {
    const refusal = `Standard input ${TOO_LARGE}.`
    const bytes = await readStandardInput(streams, { bytes: MOST_BYTES, refusal })
    return { name: 'Standard input', text: textOfFile({ name: 'Standard input', bytes }).trim() }
  }
  const { bytes } = await readNamed(file)
  if (bytes.length > MOST_BYTES) throw new FileError(`${file} ${TOO_LARGE}.`)
  return { name: file, text: textOfFile({ name: file, bytes }).trim() }
}
