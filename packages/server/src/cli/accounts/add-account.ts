/** `ratafia accounts add`, on the database, or at a service without a password. */
import type { Command } from 'commander'
import type { JsonObject } from '../../foreign-json.ts'
import { type CommandContext, UsageError } from '../context.ts'
import { type JsonOption, print, withJson } from '../output.ts'
import { readPassword } from '../password-input.ts'
import { eitherWay, goes, requireDirect, type WayOptions } from '../service/ways.ts'
import { OPERATIONS } from './account-over.ts'
import { accountRow } from './account-row.ts'

interface AddOptions extends JsonOption, WayOptions {
  readonly email: string
  readonly name: string
  readonly passwordStdin?: boolean
  readonly password: boolean
  readonly role?: string
}

export function addCommand(accounts: Command, context: CommandContext): void {
  goes(withJson(accounts.command('add <username>')), 'both', ['addAccount'])
    .description('add an account; asks for its password unless an option says where to get it')
    .requiredOption('--email <email>', 'e-mail address')
    .requiredOption('--name <name>', 'the name that is shown')
    .option('--password-stdin', 'read the password from standard input')
    .option('--no-password', 'no password: for agents, or with an external identity service')
    .option('--role <role>', 'give it this role in the administration of the service, such as operator')
    .action((username: string, options: AddOptions) => add(username, options, context))
}

async function add(username: string, options: AddOptions, context: CommandContext): Promise<void> {
  const { checkRole } = await import('../../management/grants/grant.ts')
  const { email, name, role } = options
  // First: an account without its role would be half of what was asked for.
  if (role !== undefined) checkRole(role, undefined)
  if (options.passwordStdin && !options.password) {
    throw new UsageError('--password-stdin and --no-password cannot be combined.')
  }
  // A password that somebody types for another does not travel, and a role is given by itself.
  if (options.password) requireDirect(options, context, 'An account with a password')
  if (role !== undefined) requireDirect(options, context, 'Adding an account with a role')
  const password = options.password
    ? await readPassword(context.streams, options.passwordStdin === true)
    : undefined
  const record = await eitherWay<JsonObject>(context, options, 'begin', {
    directly: async (installation) => {
      const { addAccount } = await import('../../accounts/add.ts')
      const { authority } = installation
      const account = await addAccount({ username, email, name, password, authority }, installation)
      if (role !== undefined) {
        const { addGrant } = await import('../../management/grants/add-grant.ts')
        await addGrant({ account: account.id, role, authority }, installation)
      }
      return accountRow(account, installation)
    },
    over: async (service) => (await service.call(OPERATIONS.add, { body: { username, email, name } })).record,
  })
  const { username: added, id } = record
  print(context, options, record, `Created the account ${added} (id ${id}).`)
}
