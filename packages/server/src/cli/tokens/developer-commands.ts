/** The commands `ratafia tokens` for developers: create, rotate, attenuate, explain and shorten their own tokens. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import { type Command, Option } from 'commander'
import { systemClock } from '../../clock.ts'
import { CREDENTIAL_FORM_NAMES, CREDENTIAL_FORMS } from '../../credential-forms.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { FROM_HELP } from '../login/read-credential.ts'
import { readAhead, several } from '../option-values.ts'
import { print, withJson } from '../output.ts'
import { goes, serviceOverHttp, URL_HELP } from '../service/ways.ts'
import type { AttenuateOptions } from './attenuate.ts'
import type { CreateOptions } from './create.ts'
import { withLimits } from './limit-options.ts'
import type { RotateOptions } from './rotate.ts'

const FORMS_HELP = `
Forms for --for, and the tools that accept them:
${Object.entries(CREDENTIAL_FORMS)
  .map(([name, { meaning }]) => `    ${name}\n        ${meaning}`)
  .join('\n')}

The command prints only the token to standard output, and keeps it nowhere.`

const AGENT_HELP = 'log in as an agent, with the file that `ratafia agents add` writes'

const forms = (text: string) => new Option('--for <form>', text).choices([...CREDENTIAL_FORM_NAMES])

export function developerTokenCommands(tokens: Command, context: CommandContext): void {
  const create = goes(tokens.command('create'), 'none')
    .description('log in with a browser or an agent, and print a new developer token')
    .addOption(forms('the tool that uses the token; see below').default('raw'))
    .option('--url <url>', URL_HELP)
    .option('--agent <file>', AGENT_HELP)
  withLimits(create, 'a name or a snap id')
    .option('--all', 'no limits: everything that the account can do')
    .option('--expires <time>', 'when the token expires, such as 12h, 90d or 2027-01-31T12:00:00Z', '90d')
    .option('--description <text>', 'a description for lists of tokens (default: ratafia@HOST)')
    .addHelpText('after', FORMS_HELP)
    .action(async (options: CreateOptions) => (await import('./create.ts')).create(options, context))

  goes(tokens.command('rotate'), 'none', ['me', 'shortenMyToken'])
    .argument('[from]', FROM_HELP, '-')
    .description('get a new token with the limits of an old one, and revoke the old one')
    .addOption(forms('the tool that uses the token (default: the form of the old one)'))
    .option('--url <url>', URL_HELP)
    .option('--agent <file>', AGENT_HELP)
    .option('--expires <time>', 'when the token expires (default: after the lifetime of the old one)')
    .option(
      '--overlap <duration>',
      'how long both tokens work, at most 30d; requires `ratafia login` (default: the old one is revoked immediately)',
    )
    .action(async (from: string, options: RotateOptions) =>
      (await import('./rotate.ts')).rotate(from, options, context),
    )

  withLimits(
    goes(tokens.command('attenuate'), 'none')
      .argument('[from]', FROM_HELP, '-')
      .description('print a narrower copy of a token, in the same form, without contacting a service'),
    'as in the token, or a snap id',
  )
    .option('--until <time>', 'when the copy expires, such as 1h or 2027-01-31T12:00:00Z')
    .option('--role <role>', 'limit a management token to this role; repeatable', several)
    .option('--brand <id>', 'limit a management token to this brand; repeatable', several)
    .option('--read-only', 'limit a management token to reading')
    .action(async (from: string, options: AttenuateOptions) =>
      (await import('./attenuate.ts')).attenuate(from, options, context),
    )

  goes(withJson(tokens.command('explain')), 'http', ['explainToken'])
    .argument('[from]', FROM_HELP, '-')
    .description('show the permissions of a token, or why it is refused; requires `ratafia login`')
    .action(async (from: string, options: object) =>
      (await import('./explain.ts')).explain(from, options, context),
    )

  goes(withJson(tokens.command('shorten')), 'http', ['shortenMyToken'])
    .argument('<session-id>')
    .description('make one of your own sessions expire earlier')
    .requiredOption('--until <time>', 'when the session expires, such as 7d; at most 30d ahead')
    .action(async (id: string, { until: given, ...options }: CommonOptions & { readonly until: string }) => {
      const until = readAhead('--until', given, systemClock())?.toISOString()
      const service = await serviceOverHttp(options, context)
      const record = await service.recordOf(api.shortenMyToken, { id, body: { until } })
      print(context, options, record, `The session ${id} now expires at ${record['valid_until']}.`)
    })
}
