/**
 * `ratafia login`: logs in to a service, on whatever machine it runs: to administer it with the commands that follow, or
 * with `--export` for a credential that it prints for publishers' tools.
 */

import { isRole, ROLE_NAMES, type Role } from '@ratafia/api/roles'
import { type Command, Option } from 'commander'
import { systemClock } from '../../clock.ts'
import {
  CREDENTIAL_FORM_NAMES,
  CREDENTIAL_FORMS,
  type CredentialForm,
} from '../../tokens/dialects/credential-strings.ts'
import { type CommandContext, UsageError } from '../context.ts'
import { readDuration, several } from '../option-values.ts'
import type { WantedToken } from '../service/management-token.ts'
import { goes } from '../service/ways.ts'
import type { WantedOptions } from './wanted-token.ts'

interface LoginOptions extends WantedOptions {
  readonly export?: CredentialForm
  readonly url?: string
  readonly agent?: string
  readonly role?: readonly string[]
  readonly brand?: readonly string[]
  readonly readOnly?: boolean
  readonly for?: string
}

const FORMS_HELP = `
Without --export the login is kept, for this user alone, and commands with --url or RATAFIA_URL use it.

Forms of --export, and who takes them:
${Object.entries(CREDENTIAL_FORMS)
  .map(([name, { meaning }]) => `    ${name}\n        ${meaning}`)
  .join('\n')}

It works on no database: it talks to the service.
With --export it prints nothing but the string on standard output.`

export function loginCommand(parent: Command, context: CommandContext): void {
  goes(parent.command('login'), 'none', ['createManagementRoot', 'exchangeManagementRoot', 'me'])
    .description('log in to a service with a browser or an agent, to administer it or for a tool')
    .addOption(
      new Option('--export <form>', 'print a credential for a tool, and keep nothing; see below').choices([
        ...CREDENTIAL_FORM_NAMES,
      ]),
    )
    .option(
      '--url <url>',
      'address of the service (default: RATAFIA_URL, the last login, or the service that this host is set up for)',
    )
    .option('--agent <file>', 'log in as an agent, with the file that `ratafia agents add` writes')
    .option('--role <role>', 'administer with this role alone; may repeat', several)
    .option('--brand <id>', 'administer this brand alone; may repeat', several)
    .option('--read-only', 'change nothing')
    .option('--for <duration>', 'how long the login lasts, such as 8h; at most 24h')
    .option('--permissions <names>', 'with --export: limit it to these permissions, with commas between')
    .option('--channels <patterns>', 'with --export: limit it to these channels')
    .option('--packages <names>', 'with --export: limit it to these packages (names or snap ids)')
    .option('--stores <ids>', 'with --export: limit it to these stores')
    .option('--expires <time>', 'with --export: when it ends, such as 2027-01-31T12:00:00Z')
    .option('--ttl <duration>', 'with --export: how long it lives, such as 12h or 30d')
    .option('--description <text>', 'what it is for, as lists of tokens show it (default: ratafia@HOST)')
    .addHelpText('after', FORMS_HELP)
    .action((options: LoginOptions) => login(options, context))
}

async function login(options: LoginOptions, context: CommandContext): Promise<void> {
  const { url } = await context.findService(options.url)
  if (options.export !== undefined) {
    for (const name of ['role', 'brand', 'readOnly', 'for'] as const) {
      if (options[name] !== undefined)
        throw new UsageError('--role, --brand, --read-only and --for go without --export.')
    }
    return exportLogin({ ...options, export: options.export }, url, context)
  }
  const developer = DEVELOPER_OPTIONS.find((name) => options[name] !== undefined)
  if (developer !== undefined) {
    throw new UsageError(
      `--${developer} limits a credential for a publishers' tool: give --export and for which tool (${CREDENTIAL_FORM_NAMES.join(', ')}).`,
    )
  }
  const { logInAndKeep } = await import('../service/log-in-and-keep.ts')
  const { whoamiText } = await import('./whoami-text.ts')
  const { hostname } = await import('node:os')
  const { asAgent } = await import('./as-agent.ts')
  const { inBrowser } = await import('./in-browser.ts')
  const { description = `ratafia@${hostname()}`, agent } = options
  const logIn = agent === undefined ? inBrowser(context) : await asAgent(agent)
  const { me } = await logInAndKeep(url, { ...limitsOf(options), description }, context, logIn)
  context.streams.stdout.write(`${whoamiText(me, url)}\n`)
}

const DEVELOPER_OPTIONS = ['permissions', 'channels', 'packages', 'stores', 'expires', 'ttl'] as const

function limitsOf({ role, brand, readOnly, for: life }: LoginOptions): WantedToken {
  return {
    ...(role && { roles: role.map(roleIn) }),
    ...(brand && { brands: brand }),
    ...(readOnly && { read_only: true }),
    ...(life === undefined ? {} : { lifetime: Math.floor(readDuration('--for', life) / 1000) }),
  }
}

function roleIn(text: string): Role {
  if (isRole(text)) return text
  throw new UsageError(`--role ${text} is not a role. The roles are ${ROLE_NAMES.join(', ')}.`)
}

async function exportLogin(
  options: LoginOptions & { readonly export: CredentialForm },
  url: string,
  context: CommandContext,
): Promise<void> {
  const { export: form, agent } = options
  const { wantedToken } = await import('./wanted-token.ts')
  const wanted = wantedToken(options, systemClock())
  const { exportCredential, printExported } = await import('./export-credential.ts')
  const { asAgent } = await import('./as-agent.ts')
  const { inBrowser } = await import('./in-browser.ts')
  const logIn = agent === undefined ? inBrowser(context) : await asAgent(agent)
  await printExported(url, await exportCredential({ url, form, wanted, logIn }), context)
}
