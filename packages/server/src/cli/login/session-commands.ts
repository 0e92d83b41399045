/** `ratafia login`, `whoami` and `logout`: the login that commands use to administer a service. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { type CommandContext, type CommonOptions, ServiceRefusal } from '../context.ts'
import { readDuration, readRole, several } from '../option-values.ts'
import { note, print, withJson } from '../output.ts'
import { addressOf, goes, serviceOverHttp, URL_HELP } from '../service/ways.ts'

interface LoginOptions extends CommonOptions {
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

export function sessionCommands(parent: Command, context: CommandContext): void {
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

  goes(withJson(parent.command('whoami')), 'http', ['me'])
    .description('show your account on a service, your roles, and the permissions of your token')
    .action(async (options: CommonOptions) => {
      const { whoamiText } = await import('./whoami-text.ts')
      const service = await serviceOverHttp(options, context)
      const me = await service.recordOf(api.me)
      print(context, options, me, whoamiText(me, service.url))
    })

  goes(parent.command('logout'), 'http', ['revokeMyToken'])
    .description('log out: revoke the session from `ratafia login` and remove its token')
    .action((options: CommonOptions) => logout(options, context))
}

async function login(options: LoginOptions, context: CommandContext): Promise<void> {
  const url = await addressOf(options, context)
  const { role, brand, readOnly, lifetime } = options
  const limits = {
    ...(role && { roles: role.map(readRole) }),
    ...(brand && { brands: brand }),
    ...(readOnly && { read_only: true }),
    ...(lifetime === undefined ? {} : { lifetime: Math.floor(readDuration('--lifetime', lifetime) / 1000) }),
  }
  const { logInAndKeep } = await import('../service/open-service.ts')
  const { whoamiText } = await import('./whoami-text.ts')
  const { hostname } = await import('node:os')
  const { howToLogIn } = await import('./in-browser.ts')
  const { description = `ratafia@${hostname()}` } = options
  const logIn = await howToLogIn(options.agent, context)
  const { me } = await logInAndKeep(url, { ...limits, description }, context, logIn)
  context.streams.stdout.write(`${whoamiText(me, url)}\n`)
}

async function logout(options: CommonOptions, context: CommandContext): Promise<void> {
  const { credentialFor, keepCredential } = await import('../service/credentials.ts')
  const { serviceAt } = await import('../service/http-service.ts')
  const url = await addressOf(options, context)
  const credentialsFile = context.service.credentialsFile()
  const kept = await credentialFor(url, credentialsFile)
  if (!kept) throw new ServiceRefusal(`You are not logged in at ${url}.`, { code: 'not-logged-in' })
  const service = serviceAt(url, { token: kept.token, renew: undefined })
  const ended = await service.call(api.revokeMyToken, { id: kept.sessionId }).catch((error: unknown) => {
    // A token that no longer works needs no revocation. If the service does not answer, the token is kept.
    if (!(error instanceof ServiceRefusal)) throw error
    return undefined
  })
  await keepCredential(url, undefined, credentialsFile)
  note(
    context.streams,
    ended
      ? `Logged out at ${url}. The session ${kept.sessionId} is revoked.`
      : `Logged out. The login at ${url} was no longer valid.`,
  )
}
