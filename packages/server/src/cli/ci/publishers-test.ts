/** `ratafia publishers test`. */
import type { Command } from 'commander'
import type { TestedLine, TestedRule } from '../../ci/rules/managing/test-rule.ts'
import { serviceAddress } from '../../config/config.ts'
import { RequestError } from '../../errors.ts'
import type { CommandContext } from '../context.ts'
import { counted, type JsonOption, note, print, type RowOf, tableOf, withJson } from '../output.ts'
import { readClaims } from './claims-file.ts'

const COLUMNS = ['holds', 'about', 'claim', 'expected', 'found'] as const

export function testPublisherCommand(publishers: Command, context: CommandContext): void {
  withJson(publishers.command('test <name>'))
    .description(
      'explain offline, claim by claim, what a rule makes of a job; exit code 1 if it gets nothing',
    )
    .requiredOption(
      '--claims <file>',
      "JSON with a job's claims, or its ID token, whose signature is not checked; - is standard input",
    )
    .action(async (name: string, options: JsonOption & { readonly claims: string }) => {
      const { testRule } = await import('../../ci/rules/managing/test-rule.ts')
      const { claims, unverified } = await readClaims(options.claims, context.streams)
      const tested = await context.readInstallation((installation) =>
        testRule({ name, claims }, { ...installation, baseUrl: serviceAddress(installation.config) }),
      )
      if (unverified && !options.json) {
        note(context.streams, 'The signature of the ID token is not checked: anybody could have written it.')
      }
      print(context, options, described(tested), told(tested))
      if (!tested.holds) throw refusal(tested)
    })
}

const row = ({ of, claim, expected, found, holds }: TestedLine): RowOf<typeof COLUMNS> => ({
  holds: holds ? 'yes' : 'NO',
  about: of,
  claim,
  expected,
  found,
})

function told({ lines, at, holds, known }: TestedRule): string {
  const verdict = holds
    ? [
        `A job with these claims gets a token by the rule ${known.rule.name}, if its ID token is signed and new.`,
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
  const where =
    wrong === 0 ? '' : `: ${counted(wrong, 'line')} of the table ${wrong === 1 ? 'says' : 'say'} NO`
  return new RequestError(
    'invalid-request',
    `A job with these claims gets nothing by the rule ${known.rule.name}${where}.`,
  )
}
