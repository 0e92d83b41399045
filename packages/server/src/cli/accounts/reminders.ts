/** `ratafia accounts reminders`: switches reminders by mail on or off. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { actOnEach } from '../act-on-each.ts'
import { type CommandContext, type CommonOptions, UsageError } from '../context.ts'
import { readSwitch } from '../option-values.ts'
import { print, withJson } from '../output.ts'
import type { Service } from '../service/service.ts'
import { goes, requireService, withService } from '../service/ways.ts'
import { callAccount } from './call-account.ts'

interface Options extends CommonOptions {
  readonly mine?: boolean
}

export function reminderCommand(accounts: Command, context: CommandContext): void {
  const operations = ['editAccount', 'account', 'switchMyReminders', 'myReminders']
  goes(withJson(accounts.command('reminders <on|off> [username...]')), 'both', operations)
    .description('switch on or off the mail that accounts get before their tokens, keys and roles expire')
    .option('--mine', 'your own reminders (over HTTP)')
    .action(async (state: string, usernames: readonly string[], options: Options) => {
      const on = readSwitch(state)
      if (options.mine && usernames.length > 0)
        throw new UsageError('Pass either usernames or --mine, not both.')
      if (!options.mine && usernames.length === 0)
        throw new UsageError('Pass usernames, or --mine over HTTP.')
      if (options.mine) {
        requireService(options, context, '--mine')
        return withService(context, options, 'change', (service) => switchMine(on, service, options, context))
      }
      const act = async (username: string, service: Service) => {
        const { record: mine } = await service.call(api.myReminders)
        // The ETag refuses the change if the account changes meanwhile.
        const { etag } = await callAccount(service, api.account, username)
        const asking = { body: { reminders: on }, ifMatch: etag }
        const { record } = await callAccount(service, api.editAccount, username, asking)
        const { id, username: name, reminders } = record
        const value = { id, username: name, reminders }
        return { value, told: told(`${String(name)} gets`, on, mine['sent_by']) }
      }
      await actOnEach(usernames, { thing: 'account', done: `switched ${state}`, act }, options, context)
    })
}

async function switchMine(
  on: boolean,
  service: Service,
  options: CommonOptions,
  context: CommandContext,
): Promise<void> {
  const { etag } = await service.call(api.myReminders)
  const { record } = await service.call(api.switchMyReminders, { body: { reminders: on }, ifMatch: etag })
  print(context, options, record, told('You get', on, record['sent_by']))
}

/** Returns the outcome; `gets` is the subject with its verb. */
function told(gets: string, on: boolean, sentBy: unknown): string {
  if (!on) return `${gets} no more reminders by mail.`
  const mails = Array.isArray(sentBy) && sentBy.includes('mail')
  return mails
    ? `${gets} reminders by mail.`
    : `${gets} reminders by mail once the service sends mail. For that, its operator must set RATAFIA_SMTP_URL.`
}
