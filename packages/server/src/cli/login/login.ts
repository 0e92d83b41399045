/** `ratafia login`: logs in to a service from any machine, to administer it with later commands. */
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
The login is kept in a file that only you can read, and commands with --url or RATAFIA_URL use it.
For a token for snapcraft, charmcraft or another tool, use \`tokens create\`.`

export function loginCommand(parent: Command, context: CommandContext): void {
  goes(parent.command('login'), 'none', ['createManagementRoot', 'exchangeManagementRoot', 'me'])
    .description('log in to a service with a browser or an agent, to administer it')
    .option('--url <url>', URL_HELP)
    .option('--agent <file>', 'log in as an agent, with the file that `ratafia agents add` writes')
    .option('--role <role>', 'limit the login to this role; repeatable', several)
    .option('--brand <id>', 'limit the login to this brand; repeatable', several)
    .option('--read-only', 'limit the login to reading')
    .option('--lifetime <duration>', 'the lifetime of the login, such as 8h; at most 24h')
    .option('--description <text>', 'a description for lists of tokens (default: ratafia@HOST)')
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
