/** `ratafia accounts set-email`. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import type { JsonObject } from '../../foreign-json.ts'
import type { CommandContext } from '../context.ts'
import { type JsonOption, print, withJson } from '../output.ts'
import type { Service } from '../service/service.ts'
import { goes, type WayOptions, withService } from '../service/ways.ts'
import { callAccount } from './call-account.ts'

export function setEmailCommand(accounts: Command, context: CommandContext): void {
  goes(withJson(accounts.command('set-email <username> <email>')), 'both', ['editAccount', 'account'])
    .description('give an account another e-mail address')
    .action(async (username: string, email: string, options: JsonOption & WayOptions) => {
      const {
        id,
        username: name,
        email: address,
      } = await withService(context, options, 'change', (service) => setEmail(username, email, service))
      const told = `The e-mail address of ${name} is ${address}.`
      print(context, options, { id, username: name, email: address }, told)
    })
}

/** Changes the account as it was read: one that somebody changes meanwhile is refused. */
async function setEmail(username: string, text: string, service: Service): Promise<JsonObject> {
  const { checkEmail } = await import('../../accounts/account-fields.ts')
  const { etag } = await callAccount(service, api.account, username)
  // In the words of its rule, before the limits of the wire.
  const email = checkEmail(text)
  return (await callAccount(service, api.editAccount, username, { body: { email }, ifMatch: etag })).record
}
