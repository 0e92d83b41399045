/** `ratafia accounts add`: on the database, or at a service, which takes accounts without a password. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import type { JsonObject } from '../../foreign-json.ts'
import { type CommandContext, UsageError } from '../context.ts'
import { type JsonOption, print, withJson } from '../output.ts'
import { readPassword } from '../password-input.ts'
import type { Service } from '../service/service.ts'
import { goes, isDirect, type WayOptions, withService } from '../service/ways.ts'
import { accountRow } from './account-row.ts'

interface AddOptions extends JsonOption, WayOptions {
  readonly email: string
  readonly name: string
  readonly passwordStdin?: boolean
  readonly password: boolean
  readonly role?: string
}

export function addAccountCommand(accounts: Command, context: CommandContext): void {
  goes(withJson(accounts.command('add <username>')), 'both', ['addAccount'])
    .description('add an account; asks for its password unless an option says where to get it')
    .requiredOption('--email <email>', 'e-mail address')
    .requiredOption('--name <name>', 'the name that is shown')
    .option('--password-stdin', 'read the password from standard input')
    .option('--no-password', 'no password: for agents, at a service, or with an external identity service')
    .option('--role <role>', 'give it this role in the administration of the service, such as operator')
    .action(async (username: string, options: AddOptions) => {
      refuseBoth(options)
      const record = isDirect(options, context)
        ? await addWithPassword(username, options, context)
        : await withService(context, options, 'begin', (service) => addWithout(username, options, service))
      print(context, options, record, `Created the account ${record['username']} (id ${record['id']}).`)
    })
}

async function addWithPassword(
  username: string,
  options: AddOptions,
  context: CommandContext,
): Promise<JsonObject> {
  const { addAccount } = await import('../../accounts/add.ts')
  const { addGrant } = await import('../../management/grants/add-grant.ts')
  const { checkRole } = await import('../../grants/grant.ts')
  // First: an account without its role would be half of what was asked for.
  if (options.role !== undefined) checkRole(options.role, undefined)
  const password = options.password
    ? await readPassword(context.streams, options.passwordStdin === true)
    : undefined
  return context.beginInstallation(async (installation) => {
    const { authority } = installation
    const given = { username, email: options.email, name: options.name, password, authority }
    const account = await addAccount(given, installation)
    if (options.role !== undefined) {
      await addGrant({ account: account.id, role: options.role, authority }, installation)
    }
    return accountRow(account, installation)
  })
}

/** Throws {@link UsageError} for a password, which nobody types for another over HTTP, and for a role. */
async function addWithout(username: string, options: AddOptions, service: Service): Promise<JsonObject> {
  if (options.password) {
    throw new UsageError(
      'A service takes no password for somebody else: give --no-password, and `ratafia accounts reset-link` makes a link to choose one. With --direct the command works on the database.',
    )
  }
  if (options.role !== undefined) {
    const { checkRole } = await import('../../grants/grant.ts')
    checkRole(options.role, undefined)
    throw new UsageError(
      '--role works on the database alone: at a service, add the account and then its role with `ratafia grants add`.',
    )
  }
  const { checkDisplayName, checkEmail, checkUsername } = await import('../../accounts/account-fields.ts')
  // In the words of the rule that is broken, before the limits of the wire.
  const body = {
    username: checkUsername(username),
    email: checkEmail(options.email),
    name: checkDisplayName(options.name),
  }
  return (await service.call(api.addAccount, { body })).record
}

function refuseBoth({ passwordStdin, password }: AddOptions): void {
  if (passwordStdin && !password) {
    throw new UsageError('--password-stdin and --no-password cannot be combined.')
  }
}
