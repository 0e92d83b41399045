/** `ratafia accounts`: the people and programs that can log in. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { actOnEach } from '../act-on-each.ts'
import { confirmTyped, withNeededYes } from '../confirm.ts'
import { type CommandContext, type CommonOptions, UsageError } from '../context.ts'
import { counted, details, print, withJson, withList } from '../output.ts'
import { asRow, listRecords } from '../service/as-row.ts'
import type { Service } from '../service/service.ts'
import { goes, withService } from '../service/ways.ts'
import { ACCOUNT_COLUMNS, accountRow } from './account-row.ts'
import { addAccountCommand } from './add-account.ts'
import { callAccount } from './call-account.ts'
import { passwordCommands } from './credentials/passwords.ts'
import { secondFactorCommands } from './credentials/second-factor.ts'
import { reminderCommand } from './reminders.ts'

export function accountCommands(parent: Command, context: CommandContext): void {
  const accounts = parent
    .command('accounts')
    .description('manage accounts: the people and programs that can log in')

  addAccountCommand(accounts, context)

  goes(withList(accounts.command('list'), ACCOUNT_COLUMNS), 'both', ['accounts'])
    .description('list all accounts, by username')
    .action((options: CommonOptions) =>
      listRecords(context, options, {
        ...{ operation: api.accounts, name: 'accounts', most: MOST },
        columns: ['username', 'name', 'email', 'id', 'password_logins', 'second_factor', 'disabled_at'],
        empty: 'No accounts yet. Create one with `ratafia accounts add USERNAME --email EMAIL --name NAME`.',
        more: `Only the first ${MOST} are shown.`,
      }),
    )

  goes(withJson(accounts.command('show <username>')), 'both', ['account'])
    .description('show one account, by username or id')
    .action(async (username: string, options: CommonOptions) => {
      const record = await withService(
        context,
        options,
        'read',
        async (service) => (await callAccount(service, api.account, username)).record,
      )
      print(context, options, record, details(asRow(record)))
    })

  enableDisableCommands(accounts, context)

  removeAccountCommand(accounts, context)

  passwordCommands(accounts, context)
  secondFactorCommands(accounts, context)
  reminderCommand(accounts, context)

  withJson(accounts.command('link <username>'))
    .description(
      'link an account to a user of an external identity service (required with RATAFIA_ACCOUNTS=known)',
    )
    .requiredOption('--subject <subject>', 'the userid (or username) that the service declares')
    .option('--issuer <url>', 'address of the service (default: RATAFIA_IDENTITY_URL)')
    .action(
      async (
        username: string,
        options: CommonOptions & { readonly subject: string; readonly issuer?: string },
      ) => {
        const { linkIdentity } = await import('../../accounts/link.ts')
        const row = await context.withInstallation(async (installation) => {
          const issuer = options.issuer?.replace(/\/+$/, '') ?? installation.config.identity?.url
          if (issuer === undefined) {
            throw new UsageError('Pass --issuer: RATAFIA_IDENTITY_URL names no external identity service.')
          }
          const account = await linkIdentity(
            { account: username, issuer, subject: options.subject, authority: installation.authority },
            installation,
          )
          return accountRow(account, installation)
        })
        print(context, options, row, `${options.subject} now logs in as ${row.username}.`)
      },
    )
}

/** More than any installation has; a service whose list never ends is not a Ratafia. */
const MOST = 1_000_000

/** Adds `accounts remove`, for data protection. */
function removeAccountCommand(accounts: Command, context: CommandContext): void {
  withNeededYes(withJson(accounts.command('remove <username>')))
    .description('permanently remove an account and its personal data; its username becomes free again')
    .action(async (name: string, options: CommonOptions) => {
      const { findAccount } = await import('../../accounts/find.ts')
      const { removeAccount } = await import('../../accounts/removal/remove-account.ts')
      const { account, revoked, rules, before } = await context.withInstallation(async (installation) => {
        const found = await findAccount(name, installation)
        await confirmTyped(context, options, () => ({
          told: `This permanently removes the account ${found.username} (id ${found.id}) with its password, agents, CI rules, identities and all its tokens. It cannot be undone.`,
          type: found.username,
        }))
        return removeAccount({ account: found.id, authority: installation.authority }, installation)
      })
      const { id, username, removedAt } = account
      const removed = { id, username, removed_at: removedAt?.toISOString() ?? null }
      const told = before
        ? `The account ${id} was already removed at ${removed.removed_at}.`
        : `Removed the account ${id}. Revoked ${counted(revoked, 'session')}${rulesText(rules)}. Its remaining record is named ${username}.`
      print(context, options, { ...removed, revoked, rules, removed_before: before }, told)
    })
}

interface SwitchOptions extends CommonOptions {}

function enableDisableCommands(accounts: Command, context: CommandContext): void {
  goes(withNeededYes(withJson(accounts.command('disable <username...>'))), 'both', [
    ...['disableAccount', 'account', 'tokens'],
  ])
    .description('disable accounts: no logins, agents or tokens work until you enable them again')
    .action((usernames: readonly string[], options: SwitchOptions) => {
      const act = async (name: string, service: Service) => {
        const { record } = await callAccount(service, api.disableAccount, name)
        const told = `Disabled the account ${record['username']}. It cannot log in, and its tokens are refused.`
        return { value: record, told }
      }
      const action = { thing: 'account', done: 'disabled', consequence: whatEnds, typed: true, act } as const
      return actOnEach(usernames, action, options, context)
    })

  goes(withJson(accounts.command('enable <username...>')), 'both', ['enableAccount'])
    .description('enable disabled accounts again')
    .action((usernames: readonly string[], options: SwitchOptions) => {
      const act = async (name: string, service: Service) => {
        const { record } = await callAccount(service, api.enableAccount, name)
        const told = `Enabled the account ${record['username']}. It can log in, and its tokens work again unless they were revoked.`
        return { value: record, told }
      }
      return actOnEach(usernames, { thing: 'account', done: 'enabled', act }, options, context)
    })
}

/** More than any account has. */
const MOST_SESSIONS = 10_000

async function whatEnds(name: string, service: Service): Promise<string> {
  const { record } = await callAccount(service, api.account, name)
  const query = { account: String(record['id']), state: 'active' }
  const { records } = await service.list(api.tokens, 'tokens', { query, most: MOST_SESSIONS })
  return `${record['username']} will not be able to log in, and ${counted(records.length, 'session')} of its developer tokens, all its agents and all its CI rules stop working, until you enable the account again.`
}

const rulesText = (rules: number): string => (rules === 0 ? '' : ` and removed ${counted(rules, 'CI rule')}`)
