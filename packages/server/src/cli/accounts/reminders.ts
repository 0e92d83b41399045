/** `ratafia accounts reminders`: switches reminders by mail on or off. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { actOnEach } from '../act-on-each.ts'
import { type CommandContext, type CommonOptions, UsageError } from '../context.ts'
import { readSwitch } from '../option-values.ts'
import { withJson } from '../output.ts'
import { printRecord } from '../service/records.ts'
import type { Service } from '../service/service.ts'
import { goes, requireService } from '../service/ways.ts'
import { callAccount } from './account.ts'

export function reminderCommand(accounts: Command, context: CommandContext): void {
  const operations = ['editAccount', 'account', 'switchMyReminders', 'myReminders']
  goes(withJson(accounts.command('reminders <on|off> [username...]')), 'both', operations)
    .description('switch on or off the mail that accounts get before their tokens, keys and roles expire')
    .option('--mine', 'your own reminders (over HTTP)')
    .action(
      (state: string, usernames: readonly string[], options: CommonOptions & { readonly mine?: boolean }) => {
        const reminders = readSwitch(state)
        if (options.mine && usernames.length > 0)
          throw new UsageError('Pass either usernames or --mine, not both.')
        if (!options.mine && usernames.length === 0)
          throw new UsageError('Pass usernames, or --mine over HTTP.')
        if (options.mine) {
          requireService(options, context, '--mine')
          const switchMine = async (service: Service) => {
            const { etag } = await service.call(api.myReminders)
            return service.recordOf(api.switchMyReminders, { body: { reminders }, ifMatch: etag })
          }
          return printRecord(context, options, 'change', switchMine, ({ sent_by }) =>
            told('You get', reminders, sent_by),
          )
        }
        const act = async (username: string, service: Service) => {
          const mine = await service.recordOf(api.myReminders)
          // The ETag refuses the change if the account changes meanwhile.
          const { etag } = await callAccount(service, api.account, username)
          const asking = { body: { reminders }, ifMatch: etag }
          const { record } = await callAccount(service, api.editAccount, username, asking)
          const value = { id: record['id'], username: record['username'], reminders: record['reminders'] }
          return { value, told: told(`${value.username} gets`, reminders, mine['sent_by']) }
        }
        return actOnEach(usernames, { thing: 'account', done: `switched ${state}`, act }, options, context)
      },
    )
}

/** Returns the outcome; `gets` is the subject with its verb. */
function told(gets: string, on: boolean, sentBy: unknown): string {
  if (!on) return `${gets} no more reminders by mail.`
  const mails = Array.isArray(sentBy) && sentBy.includes('mail')
  return mails
    ? `${gets} reminders by mail.`
    : `${gets} reminders by mail once the service sends mail. For that, its operator must set RATAFIA_SMTP_URL.`
}
