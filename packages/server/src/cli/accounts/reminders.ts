/** `ratafia accounts reminders`, on the database or at a service. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { actOnAll } from '../act-on-each.ts'
import { type CommandContext, UsageError } from '../context.ts'
import { readSwitch } from '../option-values.ts'
import { type JsonOption, print, withJson } from '../output.ts'
import type { Service } from '../service/service.ts'
import { goes, requireService, type WayOptions, withService } from '../service/ways.ts'
import { accountOver } from './account-over.ts'

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
      const each = (act: (username: string) => Promise<Switched>, sentBy: unknown) =>
        actOnAll(
          usernames,
          {
            ...{ thing: 'account', done: `switched ${state}` },
            act: async (username) => {
              const { id, username: name, reminders } = await act(username)
              return {
                value: { id, username: name, reminders },
                told: told(`${String(name)} gets`, on, sentBy),
              }
            },
          },
          options,
          context,
          undefined,
        )
      if (options.mine) requireService(options, context, '--mine')
      await withService(context, options, 'change', async (service) => {
        if (options.mine) return switchMine(on, service, options, context)
        const { record } = await service.call(api.myReminders)
        await each((username) => switchThere(username, on, service), record['sent_by'])
      })
    })
}

/** Changes the account as it was read: one that somebody changes meanwhile is refused. */
async function switchThere(username: string, on: boolean, service: Service): Promise<Switched> {
  const { etag } = await accountOver(service, api.account, username)
  const asking = { body: { reminders: on }, ifMatch: etag }
  const {
    id,
    username: name,
    reminders,
  } = (await accountOver(service, api.editAccount, username, asking)).record
  return { id, username: name, reminders }
}

async function switchMine(
  on: boolean,
  service: Service,
  options: JsonOption,
  context: CommandContext,
): Promise<void> {
  const { etag } = await service.call(api.myReminders)
  const { record } = await service.call(api.switchMyReminders, { body: { reminders: on }, ifMatch: etag })
  print(context, options, record, told('You get', on, record['sent_by']))
}

/** `gets`: who, and the verb. */
function told(gets: string, on: boolean, sentBy: unknown): string {
  if (!on) return `${gets} no more reminders by mail.`
  const mails = Array.isArray(sentBy) && sentBy.includes('mail')
  return mails
    ? `${gets} reminders by mail.`
    : `${gets} reminders by mail once the service sends mail. Its operator sets RATAFIA_SMTP_URL.`
}
