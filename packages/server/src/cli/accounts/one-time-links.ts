/** `ratafia accounts reset-link` and `ratafia sign-in-link`: print links that work once. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import type { JsonObject } from '../../foreign-json.ts'
import { type CommandContext, type CommonOptions, UsageError } from '../context.ts'
import { identityLocation } from '../identity-location.ts'
import { note, print, withJson } from '../output.ts'
import type { Service } from '../service/service.ts'
import { goes, isDirect, withService } from '../service/ways.ts'
import { callAccount } from './account.ts'

/** The longest lifetime of a link: with time, it becomes more likely that another person finds it. */
const LONGEST_LINK_MS = 30 * 86_400_000
/** The only lifetime of a link that a service creates. */
const LIFETIME = '24h'

interface ResetLinkOptions extends CommonOptions {
  readonly expires: string
  /** The identity service's address. */
  readonly url?: string
}

export function resetLinkCommand(accounts: Command, context: CommandContext): void {
  const command = withJson(accounts.command('reset-link <username>'))
  goes(command, 'both', ['linkToPassword'], { urlIsTaken: true })
    .description('print a one-time link for setting a password')
    .option(
      '--expires <time>',
      'when the link expires: a time such as 2027-01-31T00:00:00Z, or a duration from now such as 2h',
      LIFETIME,
    )
    .option(
      '--url <url>',
      'on the database: address of the identity service (default: RATAFIA_BASE_URL and /identity)',
    )
    .action(async (username: string, options: ResetLinkOptions) => {
      const { direct = false } = options
      const record = isDirect({ direct }, context)
        ? await linkHere(username, options, context)
        : await withService(context, { direct }, 'change', (service) => linkThere(username, options, service))
      printLink(
        record,
        `Anyone with the link can set the password of ${record['username']}, once, until ${record['expires_at']} or until its logins are revoked.`,
        options,
        context,
      )
    })
}

async function linkHere(
  username: string,
  options: ResetLinkOptions,
  context: CommandContext,
): Promise<JsonObject> {
  const { passwordLinkRecord } = await import('../../accounts/administration/password-link.ts')
  const { makeResetLink } = await import('../../accounts/one-time-links/reset-link.ts')
  const { readAhead } = await import('../option-values.ts')
  return context.withInstallation(async (installation) => {
    const { authority } = installation
    const location = identityLocation(options.url, context, installation.config, 'Reset the password there')
    const now = installation.clock()
    const until = readAhead('--expires', options.expires, now) ?? now
    const lifetimeMs = until.getTime() - now.getTime()
    if (lifetimeMs <= 0 || lifetimeMs > LONGEST_LINK_MS) {
      throw new UsageError('--expires is not within the next 30 days.')
    }
    const made = await makeResetLink({ account: username, lifetimeMs, authority }, installation)
    return passwordLinkRecord(made, location)
  })
}

/** Has the service create a link. Throws {@link UsageError} for options that work only on the database. */
async function linkThere(
  username: string,
  { expires, url }: ResetLinkOptions,
  service: Service,
): Promise<JsonObject> {
  if (url !== undefined) {
    throw new UsageError(
      '--url is the address of the identity service, for a link that is created on the database. Also pass --direct, or leave out --url, because the service of RATAFIA_URL knows the address.',
    )
  }
  if (expires !== LIFETIME) {
    throw new UsageError(
      `A link that a service creates expires after ${LIFETIME}. Leave out --expires, or run with --direct on the database's host.`,
    )
  }
  return (await callAccount(service, api.linkToPassword, username)).record
}

/** Adds the command that lets an operator with access to the host sign in when normal sign-in is broken. */
export function signInLinkCommand(program: Command, context: CommandContext): void {
  withJson(program.command('sign-in-link <username>'))
    .description('print a link that signs a browser in without a password, once, within 10 minutes')
    .option('--url <url>', 'address of the identity service (default: RATAFIA_BASE_URL and /identity)')
    .action(async (username: string, options: CommonOptions) => {
      const { makeSignInLink, signInLinkRecord } = await import('../../accounts/one-time-links/link.ts')
      await context.withInstallation(async (installation) => {
        const { authority, config } = installation
        const location = identityLocation(options.url, context, config, 'Sign in there')
        const record = signInLinkRecord(
          await makeSignInLink({ account: username, authority }, installation),
          location,
        )
        printLink(
          record,
          `Anyone with the link can sign in as ${record.username}, once, until ${record.expires_at}. Give it only to that user.`,
          options,
          context,
        )
      })
    })
}

function printLink(
  record: { readonly [name: string]: unknown },
  warning: string,
  options: CommonOptions,
  context: CommandContext,
): void {
  print(context, options, record, String(record['url']))
  if (!options.json) note(context.streams, warning)
}
