/** `ratafia accounts reminders`, on the database or at a service. */
import type { Command } from 'commander'
import { actOnAll } from '../act-on-each.ts'
import { type CommandContext, UsageError } from '../context.ts'
import { readSwitch } from '../option-values.ts'
import { type JsonOption, print, withJson } from '../output.ts'
import type { Service, ServiceOperation } from '../service/service.ts'
import { eitherWay, goes, type WayOptions } from '../service/ways.ts'
import { accountOver, OPERATIONS } from './account-over.ts'

const MINE = { method: 'GET', path: '/me/reminders' } as const satisfies ServiceOperation
const SWITCH_MINE = { method: 'PATCH', path: '/me/reminders' } as const satisfies ServiceOperation

interface Options extends JsonOption, WayOptions {
  readonly mine?: boolean
}

/** What is shown of an account. */
interface Switched {
  readonly id: unknown
  readonly username: unknown
  readonly reminders: unknown
}

export function reminderCommand(accounts: Command, context: CommandContext): void {
  const operations = ['editAccount', 'account', 'switchMyReminders', 'myReminders']
  goes(withJson(accounts.command('reminders <on|off> [username...]')), 'both', operations)
    .description('switch on or off the mail that accounts get before their tokens, keys and roles end')
    .option('--mine', 'my own, at a service')
    .action(async (state: string, usernames: readonly string[], options: Options) => {
      const on = readSwitch(state)
      if (options.mine && usernames.length > 0) throw new UsageError('Give either usernames or --mine.')
      if (!options.mine && usernames.length === 0)
        throw new UsageError('Give usernames, or --mine at a service.')
      const each = (act: (username: string) => Promise<Switched>) =>
        actOnAll(
          usernames,
          {
            ...{ thing: 'account', done: `switched ${state}` },
            act: async (username) => {
              const { id, username: name, reminders } = await act(username)
              return { value: { id, username: name, reminders }, told: told(String(name), on) }
            },
          },
          options,
          context,
          undefined,
        )
      await eitherWay(context, options, 'change', {
        directly: async (installation) => {
          if (options.mine) {
            throw new UsageError('--mine is for a service: on the database nobody is logged in.')
          }
          const { editAccount } = await import('../../accounts/administration/edit-account.ts')
          const { authority } = installation
          await each(async (account) => {
            const changed = await editAccount({ account, authority, reminders: on }, installation)
            return { ...changed, reminders: changed.remindersOffAt === undefined }
          })
        },
        over: async (service) => {
          if (options.mine) await switchMine(on, service, options, context)
          else await each((username) => switchThere(username, on, service))
        },
      })
    })
}

/** Changes the account as it was read: one that somebody changes meanwhile is refused. */
async function switchThere(username: string, on: boolean, service: Service): Promise<Switched> {
  const { etag } = await accountOver(service, OPERATIONS.show, username)
  const asking = { body: { reminders: on }, ifMatch: etag }
  const {
    id,
    username: name,
    reminders,
  } = (await accountOver(service, OPERATIONS.edit, username, asking)).record
  return { id, username: name, reminders }
}

async function switchMine(
  on: boolean,
  service: Service,
  options: JsonOption,
  context: CommandContext,
): Promise<void> {
  const { etag } = await service.call(MINE)
  const { record } = await service.call(SWITCH_MINE, { body: { reminders: on }, ifMatch: etag })
  print(context, options, record, on ? 'You get reminders by mail.' : 'You get no more reminders by mail.')
}

const told = (username: string, on: boolean): string =>
  on ? `${username} gets reminders by mail.` : `${username} gets no more reminders by mail.`
