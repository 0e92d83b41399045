/** `ratafia login`: logs in to a service, on whatever machine it runs, and prints a credential for publishers' tools. */
import { type Command, Option } from 'commander'
import { parseServiceUrl } from '../../config/values.ts'
import {
  CREDENTIAL_FORM_NAMES,
  CREDENTIAL_FORMS,
  type CredentialForm,
} from '../../tokens/dialects/credential-strings.ts'
import { type CommandContext, UsageError } from '../context.ts'
import { note } from '../output.ts'
import type { WantedOptions } from './wanted-token.ts'

interface LoginOptions extends WantedOptions {
  readonly export?: CredentialForm
  readonly url?: string
  readonly agent?: string
}

const FORMS_HELP = `
Forms, and who takes them:
${Object.entries(CREDENTIAL_FORMS)
  .map(([name, { meaning }]) => `    ${name}\n        ${meaning}`)
  .join('\n')}

It works on no database: it talks to the service.
On standard output it prints nothing but the string.`

export function loginCommand(parent: Command, context: CommandContext): void {
  parent
    .command('login')
    .description('log in to a service with a browser or an agent, and print a credential for a tool')
    .addOption(new Option('--export <form>', 'for which tool; see below').choices([...CREDENTIAL_FORM_NAMES]))
    .option(
      '--url <url>',
      'address of the service (default: RATAFIA_URL, RATAFIA_BASE_URL, or http://127.0.0.1:8080)',
    )
    .option('--agent <file>', 'log in as an agent, with the file that `ratafia agents add` writes')
    .option('--permissions <names>', 'limit it to these permissions, with commas between')
    .option('--channels <patterns>', 'limit it to these channels')
    .option('--packages <names>', 'limit it to these packages (names or snap ids)')
    .option('--stores <ids>', 'limit it to these stores')
    .option('--expires <time>', 'when it ends, such as 2027-01-31T12:00:00Z')
    .option('--ttl <duration>', 'how long it lives, such as 12h or 30d')
    .option('--description <text>', 'what it is for, as lists of tokens show it (default: ratafia@HOST)')
    .addHelpText('after', FORMS_HELP)
    .action((options: LoginOptions) => login(options, context))
}

async function login(options: LoginOptions, context: CommandContext): Promise<void> {
  const { export: form, agent } = options
  if (form === undefined) {
    throw new UsageError(
      `Give --export and for which tool: ${CREDENTIAL_FORM_NAMES.join(', ')}. This command keeps no login of its own; it prints the credential.`,
    )
  }
  const url = options.url === undefined ? context.serviceUrl() : addressIn(options.url)
  const { wantedToken } = await import('./wanted-token.ts')
  const wanted = wantedToken(options, new Date())
  const { exportCredential } = await import('./export-credential.ts')
  const { asAgent } = await import('./as-agent.ts')
  const { inBrowser } = await import('./in-browser.ts')
  const logIn = agent === undefined ? inBrowser(context.streams) : await asAgent(agent)
  const { text, sessionId } = await exportCredential({ url, form, wanted, logIn })
  context.streams.stdout.write(`${text}\n`)
  note(context.streams, `It belongs to the session ${sessionId}; revoking that ends it.`)
}

function addressIn(text: string): string {
  try {
    return parseServiceUrl(text)
  } catch (error) {
    throw new UsageError(`--url ${error instanceof Error ? error.message : String(error)}`)
  }
}
