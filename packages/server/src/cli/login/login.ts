/** `ratafia login`: logs in to a service, on any machine, to administer it with the commands that follow. */
import { isRole, ROLE_NAMES, type Role } from '@ratafia/api/roles'
import type { Command } from 'commander'
import { type CommandContext, UsageError } from '../context.ts'
import { readDuration, several } from '../option-values.ts'
import type { WantedToken } from '../service/management-token.ts'
import { goes, URL_HELP } from '../service/ways.ts'

interface LoginOptions {
  readonly url?: string
  readonly agent?: string
  readonly role?: readonly string[]
  readonly brand?: readonly string[]
  readonly readOnly?: boolean
  readonly lifetime?: string
  readonly description?: string
}

const LOGIN_HELP = `
The login is kept, for this user alone, and commands with --url or RATAFIA_URL use it.
For a token that snapcraft, charmcraft or another tool takes, use \`tokens create\`.`

export function loginCommand(parent: Command, context: CommandContext): void {
  goes(parent.command('login'), 'none', ['createManagementRoot', 'exchangeManagementRoot', 'me'])
    .description('log in to a service with a browser or an agent, to administer it')
    .option('--url <url>', URL_HELP)
    .option('--agent <file>', 'log in as an agent, with the file that `ratafia agents add` writes')
    .option('--role <role>', 'administer with this role alone; may repeat', several)
    .option('--brand <id>', 'administer this brand alone; may repeat', several)
    .option('--read-only', 'change nothing')
    .option('--lifetime <duration>', 'how long the login lasts, such as 8h; at most 24h')
    .option('--description <text>', 'what it is for, as lists of tokens show it (default: ratafia@HOST)')
    .addHelpText('after', LOGIN_HELP)
    .action((options: LoginOptions) => login(options, context))
}

async function login(options: LoginOptions, context: CommandContext): Promise<void> {
  const { url } = await context.findService(options.url)
  const wanted = limitsOf(options)
  const { logInAndKeep } = await import('../service/log-in-and-keep.ts')
  const { whoamiText } = await import('./whoami-text.ts')
  const { hostname } = await import('node:os')
  const { howToLogIn } = await import('./how-to-log-in.ts')
  const { description = `ratafia@${hostname()}` } = options
  const logIn = await howToLogIn(options.agent, context)
  const { me } = await logInAndKeep(url, { ...wanted, description }, context, logIn)
  context.streams.stdout.write(`${whoamiText(me, url)}\n`)
}

function limitsOf({ role, brand, readOnly, lifetime }: LoginOptions): WantedToken {
  return {
    ...(role && { roles: role.map(roleIn) }),
    ...(brand && { brands: brand }),
    ...(readOnly && { read_only: true }),
    ...(lifetime === undefined ? {} : { lifetime: Math.floor(readDuration('--lifetime', lifetime) / 1000) }),
  }
}

function roleIn(text: string): Role {
  if (isRole(text)) return text
  throw new UsageError(`--role ${text} is not a role. The roles are ${ROLE_NAMES.join(', ')}.`)
}
