/** The words of `ratafia tokens` for developers: tokens of their own, made, replaced, narrowed and explained. */
import { type Command, Option } from 'commander'
import { CREDENTIAL_FORM_NAMES, CREDENTIAL_FORMS } from '../../credential-forms.ts'
import type { CommandContext } from '../context.ts'
import { FROM_HELP } from '../login/read-credential.ts'
import { several } from '../option-values.ts'
import { withJson } from '../output.ts'
import { goes, URL_HELP } from '../service/ways.ts'
import type { AttenuateOptions } from './attenuate.ts'
import type { CreateOptions } from './create.ts'
import { withLimits } from './limit-options.ts'
import type { RotateOptions } from './rotate.ts'

const FORMS_HELP = `
Forms of --for, and who takes them:
${Object.entries(CREDENTIAL_FORMS)
  .map(([name, { meaning }]) => `    ${name}\n        ${meaning}`)
  .join('\n')}

Standard output has the token alone. It is kept nowhere.`

const AGENT_HELP = 'log in as an agent, with the file that `ratafia agents add` writes'

const forms = (text: string) => new Option('--for <form>', text).choices([...CREDENTIAL_FORM_NAMES])

export function developerTokenCommands(tokens: Command, context: CommandContext): void {
  const create = goes(tokens.command('create'), 'none')
    .description('log in with a browser or an agent for a developer token, and print it')
    .addOption(forms('the tool that it is for; see below').default('raw'))
    .option('--url <url>', URL_HELP)
    .option('--agent <file>', AGENT_HELP)
  withLimits(create, 'a name or a snap id')
    .option('--all', 'no limits: everything that the account can do')
    .option('--expires <time>', 'when it expires, such as 12h, 90d or 2027-01-31T12:00:00Z', '90d')
    .option('--description <text>', 'what it is for, as lists of tokens show it (default: ratafia@HOST)')
    .addHelpText('after', FORMS_HELP)
    .action(async (options: CreateOptions) => (await import('./create.ts')).create(options, context))

  goes(tokens.command('rotate'), 'none', ['me', 'shortenMyToken'])
    .argument('[from]', FROM_HELP, '-')
    .description('log in for a token with the limits of an old one, print it, and end the old one')
    .addOption(forms('the tool that it is for (default: the form of the old one)'))
    .option('--url <url>', URL_HELP)
    .option('--agent <file>', AGENT_HELP)
    .option('--expires <time>', 'when it ends (default: it lasts as long as the old one was made for)')
    .option(
      '--overlap <duration>',
      'both work for this time, at most 30d; takes a login of `ratafia login` (default: the old one ends at once)',
    )
    .action(async (from: string, options: RotateOptions) =>
      (await import('./rotate.ts')).rotate(from, options, context),
    )

  withLimits(
    goes(tokens.command('attenuate'), 'none')
      .argument('[from]', FROM_HELP, '-')
      .description('print a narrower copy of a token, in its form; no service is asked'),
    'as the token has it, or a snap id',
  )
    .option('--until <time>', 'it ends then, such as 1h or 2027-01-31T12:00:00Z')
    .option('--role <role>', 'of a management token: this role alone; may repeat', several)
    .option('--brand <id>', 'of a management token: this brand alone; may repeat', several)
    .option('--read-only', 'of a management token: it changes nothing')
    .action(async (from: string, options: AttenuateOptions) =>
      (await import('./attenuate.ts')).attenuate(from, options, context),
    )

  goes(withJson(tokens.command('explain')), 'http', ['explainToken'])
    .argument('[from]', FROM_HELP, '-')
    .description('show what a token may do, or why it is refused')
    .action(async (from: string, options: object) =>
      (await import('./explain.ts')).explain(from, options, context),
    )

  goes(withJson(tokens.command('shorten')), 'http', ['shortenMyToken'])
    .argument('<session-id>')
    .description('bring the end of one of my own sessions forward')
    .requiredOption('--until <time>', 'when it ends, such as 7d; at most 30d ahead')
    .action(async (id: string, options: { readonly until: string }) =>
      (await import('./shorten.ts')).shorten(id, options, context),
    )
}
