/** `ratafia accounts set-email`, on the database or at a service. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import type { JsonObject } from '../../foreign-json.ts'
import type { Installation } from '../../installation.ts'
import type { CommandContext } from '../context.ts'
import { type JsonOption, print, withJson } from '../output.ts'
import type { Service } from '../service/service.ts'
import { eitherWay, goes, type WayOptions } from '../service/ways.ts'
import { accountOver } from './account-over.ts'

export function setEmailCommand(accounts: Command, context: CommandContext): void {
  goes(withJson(accounts.command('set-email <username> <email>')), 'both', ['editAccount', 'account'])
    .description('give an account another e-mail address')
    .action(async (username: string, email: string, options: JsonOption & WayOptions) => {
      const {
        id,
        username: name,
        email: address,
      } = await eitherWay<JsonObject>(context, options, 'change', {
        directly: (installation) => setHere(username, email, installation),
        over: (service) => setThere(username, email, service),
      })
      const told = `The e-mail address of ${name} is ${address}.`
      print(context, options, { id, username: name, email: address }, told)
    })
}

async function setHere(account: string, email: string, installation: Installation): Promise<JsonObject> {
  const { editAccount } = await import('../../accounts/administration/edit-account.ts')
  const { authority } = installation
  return { ...(await editAccount({ account, email, authority }, installation)) }
}

/** Changes the account as it was read: one that somebody changes meanwhile is refused. */
async function setThere(username: string, text: string, service: Service): Promise<JsonObject> {
  const { checkEmail } = await import('../../accounts/account-fields.ts')
  const { etag } = await accountOver(service, api.account, username)
  // In the words of its rule, before the limits of the wire.
  const email = checkEmail(text)
  return (await accountOver(service, api.editAccount, username, { body: { email }, ifMatch: etag })).record
}
