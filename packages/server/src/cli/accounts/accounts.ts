/** `ratafia accounts`: who can log in. */
import type { Command } from 'commander'
import { actOnEach } from '../act-on-each.ts'
import { withNeededYes, type YesOption } from '../confirm.ts'
import { type CommandContext, UsageError } from '../context.ts'
import type { Installation } from '../installation.ts'
import {
  counted,
  details,
  type JsonOption,
  print,
  printList,
  type Row,
  withJson,
  withList,
} from '../output.ts'
import { readPassword } from '../password-input.ts'
import { ACCOUNT_COLUMNS, accountRow, accountRows } from './account-row.ts'
import { passwordCommands } from './passwords.ts'
import { removeAccountCommand } from './remove-account.ts'
import { secondFactorCommands } from './second-factor.ts'

interface AddOptions extends JsonOption {
  readonly email: string
  readonly name: string
  readonly passwordStdin?: boolean
  readonly password: boolean
  readonly role?: string
}

export function accountCommands(parent: Command, context: CommandContext): void {
  const accounts = parent.command('accounts').description('the people and service accounts who can log in')

  withJson(accounts.command('add <username>'))
    .description('add an account; asks for its password unless an option says where to get it')
    .requiredOption('--email <email>', 'e-mail address')
    .requiredOption('--name <name>', 'the name that is shown')
    .option('--password-stdin', 'read the password from standard input')
    .option('--no-password', 'no password: for agents, or with an external identity service')
    .option('--role <role>', 'give it this role in the administration of the service, such as operator')
    .action(async (username: string, options: AddOptions) => {
      const { addAccount } = await import('../../accounts/add.ts')
      const { addGrant } = await import('../../management/grants/add-grant.ts')
      const { checkRole } = await import('../../management/grants/grant.ts')
      // First: an account without its role would be half of what was asked for.
      if (options.role !== undefined) checkRole(options.role, undefined)
      if (options.passwordStdin && !options.password) {
        throw new UsageError('--password-stdin and --no-password cannot be combined.')
      }
      const password = options.password
        ? await readPassword(context.streams, options.passwordStdin === true)
        : undefined
      const row = await context.beginInstallation(async (installation) => {
        const given = { username, email: options.email, name: options.name, password }
        const account = await addAccount(given, installation)
        if (options.role !== undefined) {
          const { authority } = installation
          await addGrant({ account: account.id, role: options.role, authority }, installation)
        }
        return accountRow(account, installation)
      })
      print(context, options, row, `Created the account ${row.username} (id ${row.id}).`)
    })

  withList(accounts.command('list'), ACCOUNT_COLUMNS)
    .description('list all accounts, by username')
    .action(async (options: JsonOption) => {
      const { listAccounts } = await import('../../accounts/list.ts')
      const rows = await context.readInstallation(async (installation) => {
        const all: Row[] = []
        for (let after: string | undefined; ; ) {
          const page = await listAccounts({ after, limit: 1000 }, installation)
          all.push(...(await accountRows(page.accounts, installation)))
          if (page.next === undefined) return all
          after = page.next
        }
      })
      printList(context, options, rows, {
        columns: ['username', 'name', 'email', 'id', 'password_logins', 'second_factor', 'disabled_at'],
        empty:
          'There is no account yet. `ratafia accounts add USERNAME --email EMAIL --name NAME` makes one.',
      })
    })

  withJson(accounts.command('show <username>'))
    .description('show one account, by username or id')
    .action(async (username: string, options: JsonOption) => {
      const { findAccount } = await import('../../accounts/find.ts')
      const row = await context.readInstallation(async (installation) =>
        accountRow(await findAccount(username, installation), installation),
      )
      print(context, options, row, details(row))
    })

  withNeededYes(withJson(accounts.command('disable <username...>')))
    .description('disable accounts: no log-ins, agents or tokens until they are enabled again')
    .action(async (usernames: readonly string[], options: JsonOption & YesOption) => {
      const { disableAccount } = await import('../../accounts/disable.ts')
      const act = async (username: string, installation: Installation) => {
        const account = await disableAccount(username, installation)
        const told = `The account ${account.username} is disabled: it cannot log in, and its tokens answer 401.`
        return { value: await accountRow(account, installation), told }
      }
      const disabling = { thing: 'account', done: 'disabled', typed: true, act } as const
      await actOnEach(usernames, { ...disabling, consequence: whatDisablingEnds }, options, context)
    })

  withJson(accounts.command('enable <username...>'))
    .description('let disabled accounts log in again')
    .action(async (usernames: readonly string[], options: JsonOption) => {
      const { enableAccount } = await import('../../accounts/enable.ts')
      const act = async (username: string, installation: Installation) => {
        const account = await enableAccount(username, installation)
        const told = `The account ${account.username} is enabled: it can log in, and its tokens that were not revoked work again.`
        return { value: await accountRow(account, installation), told }
      }
      await actOnEach(usernames, { thing: 'account', done: 'enabled', act }, options, context)
    })

  removeAccountCommand(accounts, context)

  passwordCommands(accounts, context)
  secondFactorCommands(accounts, context)

  withJson(accounts.command('link <username>'))
    .description(
      'link an account to a user of an external identity service (needed with RATAFIA_ACCOUNTS=known)',
    )
    .requiredOption('--subject <subject>', 'the userid (or username) that the service declares')
    .option('--issuer <url>', 'location of the service (default: RATAFIA_IDENTITY_URL)')
    .action(
      async (
        username: string,
        options: JsonOption & { readonly subject: string; readonly issuer?: string },
      ) => {
        const { linkIdentity } = await import('../../accounts/link.ts')
        const row = await context.withInstallation(async (installation) => {
          const issuer = options.issuer?.replace(/\/+$/, '') ?? installation.config.identity?.url
          if (issuer === undefined) {
            throw new UsageError('Give --issuer: RATAFIA_IDENTITY_URL names no external identity service.')
          }
          const account = await linkIdentity(
            { account: username, issuer, subject: options.subject },
            installation,
          )
          return accountRow(account, installation)
        })
        print(context, options, row, `${options.subject} now logs in as ${row.username}.`)
      },
    )
}

async function whatDisablingEnds(name: string, installation: Installation): Promise<string> {
  const { findAccount } = await import('../../accounts/find.ts')
  const { listSessions } = await import('../../tokens/list.ts')
  const { id, username } = await findAccount(name, installation)
  const sessions = await listSessions({ accountId: id, includeInactive: false }, installation)
  return `${username} cannot log in any longer, and ${counted(sessions.length, 'session')} of its developer tokens, all its agents and all its rules for jobs stop working, until the account is enabled again.`
}
