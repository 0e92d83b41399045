/** `ratafia accounts disable` and `enable`. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { actOnEach } from '../act-on-each.ts'
import { withNeededYes, type YesOption } from '../confirm.ts'
import type { CommandContext } from '../context.ts'
import { counted, type JsonOption, withJson } from '../output.ts'
import type { Service } from '../service/service.ts'
import { goes, type WayOptions } from '../service/ways.ts'
import { callAccount } from './call-account.ts'

interface SwitchOptions extends JsonOption, YesOption, WayOptions {}

export function enableDisableCommands(accounts: Command, context: CommandContext): void {
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
