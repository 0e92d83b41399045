/** `ratafia accounts set-password`, `password-logins` and `set-email`: the data that people log in with. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import type { JsonObject } from '../../foreign-json.ts'
import type { Installation } from '../../installation.ts'
import { actOnEachDirectly } from '../act-on-each.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { readSwitch } from '../option-values.ts'
import { print, withJson } from '../output.ts'
import { readPassword } from '../password-input.ts'
import { printRecord } from '../service/records.ts'
import type { Service } from '../service/service.ts'
import { goes } from '../service/ways.ts'
import { accountRow, callAccount } from './account.ts'
import { resetLinkCommand } from './one-time-links.ts'

export function passwordCommands(accounts: Command, context: CommandContext): void {
  withJson(accounts.command('set-password <username>'))
    .description('set a new password, sign the account out of every browser, and revoke its unused logins')
    .option('--password-stdin', 'read the password from standard input')
    .action(async (account: string, options: CommonOptions & { readonly passwordStdin?: boolean }) => {
      const { setPassword } = await import('../../accounts/passwords/set-password.ts')
      const password = await readPassword(context.streams, options.passwordStdin === true)
      const row = await context.withInstallation(async (installation) => {
        const { authority } = installation
        return accountRow(await setPassword({ account, password, authority }, installation), installation)
      })
      print(context, options, row, `Changed the password of ${row.username}.`)
    })

  resetLinkCommand(accounts, context)

  withJson(accounts.command('password-logins <on|off> <username...>'))
    .description(
      'allow or forbid programs to log in with the password of accounts; browsers always accept it',
    )
    .action(async (state: string, usernames: readonly string[], options: CommonOptions) => {
      const { switchPasswordLogins } = await import('../../accounts/switch-password-logins.ts')
      const on = readSwitch(state)
      const act = async (username: string, installation: Installation) => {
        const { authority } = installation
        const account = await switchPasswordLogins({ account: username, on, authority }, installation)
        const told = on
          ? `Programs may log in with the password of ${account.username}.`
          : `Programs can no longer log in with the password of ${account.username}. Their tokens stay valid.`
        return { value: await accountRow(account, installation), told }
      }
      const switching = { thing: 'account', done: `switched ${state}`, act }
      await actOnEachDirectly(usernames, switching, options, context)
    })

  goes(withJson(accounts.command('set-email <username> <email>')), 'both', ['editAccount', 'account'])
    .description('change the e-mail address of an account')
    .action((name: string, text: string, options: CommonOptions) =>
      printRecord(
        context,
        options,
        'change',
        (service) => setEmail(name, text, service),
        ({ username, email }) => `The e-mail address of ${username} is now ${email}.`,
      ),
    )
}

/** Changes the account, unless it changes between reading and writing. */
async function setEmail(name: string, text: string, service: Service): Promise<JsonObject> {
  const { checkEmail } = await import('../../accounts/account-fields.ts')
  const { etag } = await callAccount(service, api.account, name)
  // Checks here, so that the message names the broken rule instead of a limit of the API's schema.
  const asking = { body: { email: checkEmail(text) }, ifMatch: etag }
  const { record } = await callAccount(service, api.editAccount, name, asking)
  return { id: record['id'], username: record['username'], email: record['email'] }
}
