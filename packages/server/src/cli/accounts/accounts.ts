/** `ratafia accounts`: the people and programs that can log in. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { actOnEach } from '../act-on-each.ts'
import { confirmTyped, withNeededYes } from '../confirm.ts'
import { type CommandContext, type CommonOptions, UsageError } from '../context.ts'
import { counted, details, print, withJson, withList } from '../output.ts'
import { asRow, listRecords, printRecord } from '../service/records.ts'
import type { Service } from '../service/service.ts'
import { goes } from '../service/ways.ts'
import { accountRow, callAccount } from './account.ts'
import { addAccountCommand } from './add-account.ts'
import { passwordCommands } from './passwords.ts'
import { reminderCommand } from './reminders.ts'
import { secondFactorCommands } from './second-factor.ts'

const COLUMNS = [
  ...['username', 'name', 'email', 'id', 'password', 'password_logins', 'reminders', 'second_factor'],
  ...['disabled_at', 'logins_since', 'created_at'],
]
const SHOWN = ['username', 'name', 'email', 'id', 'password_logins', 'second_factor', 'disabled_at']
/** More than any installation has; a service whose list never ends is not a Ratafia. */
const MOST = 1_000_000
/** More than any account has. */
const MOST_SESSIONS = 10_000

export function accountCommands(parent: Command, context: CommandContext): void {
  const accounts = parent
    .command('accounts')
    .description('manage accounts: the people and programs that can log in')

  addAccountCommand(accounts, context)

  goes(withList(accounts.command('list'), COLUMNS), 'both', ['accounts'])
    .description('list all accounts, by username')
    .action((options: CommonOptions) =>
      listRecords(context, options, {
        ...{ operation: api.accounts, name: 'accounts', most: MOST, columns: SHOWN },
        empty: 'No accounts yet. Create one with `ratafia accounts add USERNAME --email EMAIL --name NAME`.',
        more: `Only the first ${MOST} are shown.`,
      }),
    )

  goes(withJson(accounts.command('show <username>')), 'both', ['account'])
    .description('show one account, by username or id')
    .action((username: string, options: CommonOptions) => {
      const find = async (service: Service) => (await callAccount(service, api.account, username)).record
      return printRecord(context, options, 'read', find, (record) => details(asRow(record)))
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
    .action((username: string, options: LinkOptions) => link(username, options, context))
}

function enableDisableCommands(accounts: Command, context: CommandContext): void {
  goes(withNeededYes(withJson(accounts.command('disable <username...>'))), 'both', [
    ...['disableAccount', 'account', 'tokens'],
  ])
    .description('disable accounts: no logins, agents or tokens work until you enable them again')
    .action((usernames: readonly string[], options: CommonOptions) => {
      const act = async (name: string, service: Service) => {
        const { record: value } = await callAccount(service, api.disableAccount, name)
        const told = `Disabled the account ${value['username']}. It cannot log in, and its tokens are refused.`
        return { value, told }
      }
      const action = { thing: 'account', done: 'disabled', consequence: whatEnds, typed: true, act } as const
      return actOnEach(usernames, action, options, context)
    })

  goes(withJson(accounts.command('enable <username...>')), 'both', ['enableAccount'])
    .description('enable disabled accounts again')
    .action((usernames: readonly string[], options: CommonOptions) => {
      const act = async (name: string, service: Service) => {
        const { record: value } = await callAccount(service, api.enableAccount, name)
        const told = `Enabled the account ${value['username']}. It can log in, and its tokens work again unless they were revoked.`
        return { value, told }
      }
      return actOnEach(usernames, { thing: 'account', done: 'enabled', act }, options, context)
    })
}

async function whatEnds(name: string, service: Service): Promise<string> {
  const { record } = await callAccount(service, api.account, name)
  const query = { account: String(record['id']), state: 'active' }
  const { records } = await service.list(api.tokens, 'tokens', { query, most: MOST_SESSIONS })
  return `${record['username']} will not be able to log in, and ${counted(records.length, 'session')} of its developer tokens, all its agents and all its CI rules stop working, until you enable the account again.`
}

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
      const { id, username } = account
      const removed_at = account.removedAt?.toISOString() ?? null
      const andRules = rules === 0 ? '' : ` and removed ${counted(rules, 'CI rule')}`
      const told = before
        ? `The account ${id} was already removed at ${removed_at}.`
        : `Removed the account ${id}. Revoked ${counted(revoked, 'session')}${andRules}. Its remaining record is named ${username}.`
      print(context, options, { id, username, removed_at, revoked, rules, removed_before: before }, told)
    })
}

interface LinkOptions extends CommonOptions {
  readonly subject: string
  readonly issuer?: string
}

async function link(username: string, options: LinkOptions, context: CommandContext): Promise<void> {
  const { linkIdentity } = await import('../../accounts/link.ts')
  const { subject } = options
  const row = await context.withInstallation(async (installation) => {
    const { authority, config } = installation
    const issuer = options.issuer?.replace(/\/+$/, '') ?? config.identity?.url
    if (issuer === undefined) {
      throw new UsageError('Pass --issuer: RATAFIA_IDENTITY_URL names no external identity service.')
    }
    const linked = await linkIdentity({ account: username, issuer, subject, authority }, installation)
    return accountRow(linked, installation)
  })
  print(context, options, row, `${subject} now logs in as ${row.username}.`)
}
