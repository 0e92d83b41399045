/** `ratafia publishers test`. */
import type { Command } from 'commander'
import type { Claims } from '../../ci/id-token/id-token.ts'
import type { TestedLine, TestedRule } from '../../ci/rules/managing/test-rule.ts'
import { serviceAddress } from '../../config/config.ts'
import { RequestError } from '../../errors.ts'
import { objectDocumentIn } from '../../foreign-json.ts'
import { type CommandContext, type CommonOptions, FileError, type Streams } from '../context.ts'
import { readNamed, readStandardInput, textOfFile } from '../files.ts'
import { counted, note, print, type RowOf, tableOf, withJson } from '../output.ts'

const COLUMNS = ['match', 'about', 'claim', 'expected', 'found'] as const

export function testPublisherCommand(publishers: Command, context: CommandContext): void {
  withJson(publishers.command('test <name>'))
    .description(
      'explain offline, claim by claim, whether a job gets a token from a rule; exit code 1 if it does not',
    )
    .requiredOption(
      '--claims <file>',
      "JSON with a job's claims, or its ID token, without checking the signature; - is standard input",
    )
    .action(async (name: string, options: CommonOptions & { readonly claims: string }) => {
      const { testRule } = await import('../../ci/rules/managing/test-rule.ts')
      const { claims, unverified } = await readClaims(options.claims, context.streams)
      const tested = await context.readInstallation((installation) =>
        testRule({ name, claims }, { ...installation, baseUrl: serviceAddress(installation.config) }),
      )
      if (unverified && !options.json) {
        note(context.streams, "The ID token's signature is not checked, so anyone could have written it.")
      }
      print(context, options, described(tested), told(tested))
      if (!tested.holds) throw refusal(tested)
    })
}

const row = ({ of, claim, expected, found, holds }: TestedLine): RowOf<typeof COLUMNS> => ({
  match: holds ? 'yes' : 'NO',
  about: of,
  claim,
  expected,
  found,
})

function told({ lines, at, holds, known }: TestedRule): string {
  const verdict = holds
    ? [
        `A job with these claims gets a token from the rule ${known.rule.name}, if its ID token is signed and new.`,
      ]
    : []
  return [`As of ${at.toISOString()}:`, tableOf(lines.map(row), COLUMNS), ...verdict].join('\n')
}

const described = ({ known, at, holds, lines }: TestedRule) => ({
  rule: known.rule.name,
  version: known.rule.version,
  at: at.toISOString(),
  holds,
  lines: lines.map(({ of: about, ...line }) => ({ about, ...line })),
})

const refusal = ({ known, lines }: TestedRule): RequestError => {
  const wrong = lines.filter(({ holds }) => !holds).length
  const where = wrong === 0 ? '' : `: ${counted(wrong, 'check')} failed`
  return new RequestError(
    'invalid-request',
    `A job with these claims would not get a token from the rule ${known.rule.name}${where}.`,
  )
}

interface ReadClaims {
  readonly claims: Claims
  /** Whether the claims come from an ID token, whose signature was not checked. */
  readonly unverified: boolean
}

const MOST_BYTES = 64 * 1024
const TOO_LARGE = `has more than ${MOST_BYTES / 1024} KiB, so it cannot be an ID token`

/**
 * Reads claims from a file, or from standard input for `-`. Throws {@link FileError}, and `RequestError` for
 * text that is neither JSON nor an ID token.
 */
async function readClaims(file: string, streams: Streams): Promise<ReadClaims> {
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
