/** `ratafia accounts disable` and `enable`. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import type { JsonObject } from '../../foreign-json.ts'
import { actOnAll } from '../act-on-each.ts'
import { withNeededYes, type YesOption } from '../confirm.ts'
import type { CommandContext } from '../context.ts'
import { counted, type JsonOption, withJson } from '../output.ts'
import type { Service } from '../service/service.ts'
import { goes, type WayOptions, withService } from '../service/ways.ts'
import { accountOver } from './account-over.ts'

interface SwitchOptions extends JsonOption, YesOption, WayOptions {}

/** What one account is called by, and where. */
interface Acts {
  /** The record afterwards. */
  readonly act: (name: string) => Promise<JsonObject>
  readonly consequence?: (name: string) => Promise<string>
}

export function enableDisableCommands(accounts: Command, context: CommandContext): void {
  goes(withNeededYes(withJson(accounts.command('disable <username...>'))), 'both', [
    ...['disableAccount', 'account', 'tokens'],
  ])
    .description('disable accounts: no log-ins, agents or tokens until they are enabled again')
    .action(async (usernames: readonly string[], options: SwitchOptions) => {
      const told = (username: unknown) =>
        `The account ${username} is disabled: it cannot log in, and its tokens answer 401.`
      const each = actOnEachOf(usernames, { done: 'disabled', told }, options, context)
      await withService(context, options, 'change', (service) =>
        each({
          act: async (name) => (await accountOver(service, api.disableAccount, name)).record,
          consequence: (name) => whatEnds(name, service),
        }),
      )
    })

  goes(withJson(accounts.command('enable <username...>')), 'both', ['enableAccount'])
    .description('let disabled accounts log in again')
    .action(async (usernames: readonly string[], options: SwitchOptions) => {
      const told = (username: unknown) =>
        `The account ${username} is enabled: it can log in, and its tokens that were not revoked work again.`
      const each = actOnEachOf(usernames, { done: 'enabled', told }, options, context)
      await withService(context, options, 'change', (service) =>
        each({ act: async (name) => (await accountOver(service, api.enableAccount, name)).record }),
      )
    })
}

const actOnEachOf =
  (
    usernames: readonly string[],
    { done, told }: { readonly done: string; readonly told: (username: unknown) => string },
    options: SwitchOptions,
    context: CommandContext,
  ) =>
  ({ act, consequence }: Acts): Promise<void> =>
    actOnAll(
      usernames,
      {
        ...{ thing: 'account', done },
        ...(consequence && { consequence, typed: true as const }),
        act: async (name) => {
          const value = await act(name)
          return { value, told: told(value['username']) }
        },
      },
      options,
      context,
      undefined,
    )

/** More than anyone has. */
const MOST_SESSIONS = 10_000

async function whatEnds(name: string, service: Service): Promise<string> {
  const { record } = await accountOver(service, api.account, name)
  const query = { account: String(record['id']), state: 'active' }
  const { records } = await service.list(api.tokens, 'tokens', { query, most: MOST_SESSIONS })
  return `${record['username']} cannot log in any longer, and ${counted(records.length, 'session')} of its developer tokens, all its agents and all its rules for jobs stop working, until the account is enabled again.`
}
