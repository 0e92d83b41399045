/** `ratafia accounts add`: on the database, or over HTTP, which allows only accounts without a password. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import type { JsonObject } from '../../foreign-json.ts'
import { type CommandContext, type CommonOptions, UsageError } from '../context.ts'
import { print, withJson } from '../output.ts'
import { readPassword } from '../password-input.ts'
import type { Service } from '../service/service.ts'
import { goes, isDirect, withService } from '../service/ways.ts'
import { accountRow } from './account.ts'

interface AddOptions extends CommonOptions {
  readonly email: string
  readonly name: string
  readonly passwordStdin?: boolean
  readonly password: boolean
  readonly role?: string
}

export function addAccountCommand(accounts: Command, context: CommandContext): void {
  goes(withJson(accounts.command('add <username>')), 'both', ['addAccount'])
    .description(
      'add an account; prompts for its password, unless you pass --password-stdin or --no-password',
    )
    .requiredOption('--email <email>', 'e-mail address')
    .requiredOption('--name <name>', 'the display name')
    .option('--password-stdin', 'read the password from standard input')
    .option(
      '--no-password',
      'do not set a password: for agents, over HTTP, or with an external identity service',
    )
    .option('--role <role>', 'grant this role for administering the service, such as operator')
    .action(async (username: string, options: AddOptions) => {
      if (options.passwordStdin && !options.password) {
        throw new UsageError('--password-stdin and --no-password cannot be combined.')
      }
      const record = isDirect(options, context)
        ? await addWithPassword(username, options, context)
        : await withService(context, options, 'begin', (service) => addWithout(username, options, service))
      print(context, options, record, `Created the account ${record['username']} (id ${record['id']}).`)
    })
}

async function addWithPassword(
  username: string,
  { email, name, role, ...options }: AddOptions,
  context: CommandContext,
): Promise<JsonObject> {
  const { addAccount } = await import('../../accounts/add.ts')
  const { addGrant } = await import('../../management/grants/add-grant.ts')
  // Checks the role first, so that the command does not create an account without it.
  await requireRole(role)
  const password = options.password
    ? await readPassword(context.streams, options.passwordStdin === true)
    : undefined
  return context.beginInstallation(async (installation) => {
    const { authority } = installation
    const account = await addAccount({ username, email, name, password, authority }, installation)
    if (role !== undefined) await addGrant({ account: account.id, role, authority }, installation)
    return accountRow(account, installation)
  })
}

/** Throws `RequestError` for a role that does not exist or needs a brand. */
async function requireRole(role: string | undefined): Promise<void> {
  const { checkRole } = await import('../../grants/grant.ts')
  if (role !== undefined) checkRole(role, undefined)
}

/** Adds an account over HTTP. Throws {@link UsageError} for a password and for a role. */
async function addWithout(username: string, options: AddOptions, service: Service): Promise<JsonObject> {
  if (options.password) {
    throw new UsageError(
      "You can't set another user's password over HTTP. Pass --no-password, and then create a link for setting it with `ratafia accounts reset-link`. With --direct, the command works on the database.",
    )
  }
  if (options.role !== undefined) {
    await requireRole(options.role)
    throw new UsageError(
      '--role works only on the database. Over HTTP, add the account first, then its role with `ratafia grants add`.',
    )
  }
  const { checkDisplayName, checkEmail, checkUsername } = await import('../../accounts/account-fields.ts')
  // Checks here, so that the message names the broken rule instead of a limit of the API's schema.
  const body = {
    username: checkUsername(username),
    email: checkEmail(options.email),
    name: checkDisplayName(options.name),
  }
  return service.recordOf(api.addAccount, { body })
}
