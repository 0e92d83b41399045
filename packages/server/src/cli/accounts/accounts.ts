/** `ratafia accounts`: who can log in. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { actOnEach } from '../act-on-each.ts'
import { confirmTyped, withNeededYes, type YesOption } from '../confirm.ts'
import { type CommandContext, UsageError } from '../context.ts'
import { counted, details, type JsonOption, type ListOption, print, withJson, withList } from '../output.ts'
import { asRow, listRecords } from '../service/as-row.ts'
import type { Service } from '../service/service.ts'
import { goes, type WayOptions, withService } from '../service/ways.ts'
import { ACCOUNT_COLUMNS, accountRow } from './account-row.ts'
import { addAccountCommand } from './add-account.ts'
import { callAccount } from './call-account.ts'
import { passwordCommands } from './credentials/passwords.ts'
import { secondFactorCommands } from './credentials/second-factor.ts'
import { reminderCommand } from './reminders.ts'

export function accountCommands(parent: Command, context: CommandContext): void {
  const accounts = parent.command('accounts').description('the people and service accounts who can log in')

  addAccountCommand(accounts, context)

  goes(withList(accounts.command('list'), ACCOUNT_COLUMNS), 'both', ['accounts'])
    .description('list all accounts, by username')
    .action((options: ListOption & WayOptions) =>
      listRecords(context, options, {
        ...{ operation: api.accounts, name: 'accounts', most: MOST },
        columns: ['username', 'name', 'email', 'id', 'password_logins', 'second_factor', 'disabled_at'],
        empty:
          'There is no account yet. `ratafia accounts add USERNAME --email EMAIL --name NAME` makes one.',
        more: `Only the first ${MOST} are shown.`,
      }),
    )

  goes(withJson(accounts.command('show <username>')), 'both', ['account'])
    .description('show one account, by username or id')
    .action(async (username: string, options: JsonOption & WayOptions) => {
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
            { account: username, issuer, subject: options.subject, authority: installation.authority },
            installation,
          )
          return accountRow(account, installation)
        })
        print(context, options, row, `${options.subject} now logs in as ${row.username}.`)
      },
    )
}

/** More than anyone reads at once; a service that goes on for ever is none of ours. */
const MOST = 1_000_000

/** For the protection of data. */
function removeAccountCommand(accounts: Command, context: CommandContext): void {
  withNeededYes(withJson(accounts.command('remove <username>')))
    .description('end an account for good and remove what is personal; its username is free again')
    .action(async (name: string, options: JsonOption & YesOption) => {
      const { findAccount } = await import('../../accounts/find.ts')
      const { removeAccount } = await import('../../accounts/removal/remove-account.ts')
      const { account, revoked, rules, before } = await context.withInstallation(async (installation) => {
        const found = await findAccount(name, installation)
        await confirmTyped(context, options, () => ({
          told: `The account ${found.username} (id ${found.id}) loses its password, its agents, its rules for jobs, its identities and all its tokens, and becomes nobody's. This cannot be undone.`,
          type: found.username,
        }))
        return removeAccount({ account: found.id, authority: installation.authority }, installation)
      })
      const { id, username, removedAt } = account
      const removed = { id, username, removed_at: removedAt?.toISOString() ?? null }
      const told = before
        ? `The account ${id} was removed before, at ${removed.removed_at}.`
        : `The account ${id} is removed; ${counted(revoked, 'session')} of its tokens ${revoked === 1 ? 'was' : 'were'} revoked${rulesText(rules)}. What is left of it is called ${username}.`
      print(context, options, { ...removed, revoked, rules, removed_before: before }, told)
    })
}

interface SwitchOptions extends JsonOption, YesOption, WayOptions {}

function enableDisableCommands(accounts: Command, context: CommandContext): void {
  goes(withNeededYes(withJson(accounts.command('disable <username...>'))), 'both', [
    ...['disableAccount', 'account', 'tokens'],
  ])
    .description('disable accounts: no log-ins, agents or tokens until they are enabled again')
    .action((usernames: readonly string[], options: SwitchOptions) => {
      const act = async (name: string, service: Service) => {
        const { record } = await callAccount(service, api.disableAccount, name)
        const told = `The account ${record['username']} is disabled: it cannot log in, and its tokens answer 401.`
        return { value: record, told }
      }
      const action = { thing: 'account', done: 'disabled', consequence: whatEnds, typed: true, act } as const
      return actOnEach(usernames, action, options, context)
    })

  goes(withJson(accounts.command('enable <username...>')), 'both', ['enableAccount'])
    .description('let disabled accounts log in again')
    .action((usernames: readonly string[], options: SwitchOptions) => {
      const act = async (name: string, service: Service) => {
        const { record } = await callAccount(service, api.enableAccount, name)
        const told = `The account ${record['username']} is enabled: it can log in, and its tokens that were not revoked work again.`
        return { value: record, told }
      }
      return actOnEach(usernames, { thing: 'account', done: 'enabled', act }, options, context)
    })
}

/** More than anyone has. */
const MOST_SESSIONS = 10_000

async function whatEnds(name: string, service: Service): Promise<string> {
  const { record } = await callAccount(service, api.account, name)
  const query = { account: String(record['id']), state: 'active' }
  const { records } = await service.list(api.tokens, 'tokens', { query, most: MOST_SESSIONS })
  return `${record['username']} cannot log in any longer, and ${counted(records.length, 'session')} of its developer tokens, all its agents and all its rules for jobs stop working, until the account is enabled again.`
}

const rulesText = (rules: number): string =>
  rules === 0 ? '' : `, and ${counted(rules, 'rule')} for jobs ${rules === 1 ? 'was' : 'were'} removed`
