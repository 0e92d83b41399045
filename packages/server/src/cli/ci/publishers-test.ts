/** `ratafia publishers test`. */
import type { Command } from 'commander'
import type { Claims } from '../../ci/id-token/id-token.ts'
import { testedRecord } from '../../ci/rules/managing/publisher-record.ts'
import type { TestedLine, TestedRule } from '../../ci/rules/managing/test-rule.ts'
import { serviceAddress } from '../../config/config.ts'
import { invalidRequest, type RequestError } from '../../errors.ts'
import { objectDocumentIn } from '../../foreign-json.ts'
import { type CommandContext, type CommonOptions, FileError, type Streams } from '../context.ts'
import { readGiven, textOfFile } from '../files.ts'
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
      print(context, options, testedRecord(tested), told(tested))
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
  const verdict = `A job with these claims gets a token from the rule ${known.rule.name}, if its ID token is signed and new.`
  const table = tableOf(lines.map(row), COLUMNS)
  return [`As of ${at.toISOString()}:`, table, ...(holds ? [verdict] : [])].join('\n')
}

const refusal = ({ known, lines }: TestedRule): RequestError => {
  const wrong = lines.filter(({ holds }) => !holds).length
  const where = wrong === 0 ? '' : `: ${counted(wrong, 'check')} failed`
  return invalidRequest(
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
  const most = { bytes: MOST_BYTES, refusal: `Standard input ${TOO_LARGE}.` }
  const given = await readGiven(file, streams, most)
  if (given.bytes.length > MOST_BYTES) throw new FileError(`${file} ${TOO_LARGE}.`)
  const text = textOfFile(given).trim()
  if (!text.startsWith('{')) {
    const { readIdToken } = await import('../../ci/id-token/read.ts')
    return { claims: readIdToken(text).unverifiedClaims, unverified: true }
  }
  const claims = objectDocumentIn(text)
  if (claims) return { claims, unverified: false }
  throw new FileError(`${given.name} is not a JSON object.`)
}
