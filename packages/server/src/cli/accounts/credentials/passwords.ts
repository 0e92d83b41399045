/** `ratafia accounts set-password`, `password-logins` and `set-email`: the data that people log in with. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import type { JsonObject } from '../../../foreign-json.ts'
import type { Installation } from '../../../installation.ts'
import { actOnEachDirectly } from '../../act-on-each.ts'
import type { CommandContext, CommonOptions } from '../../context.ts'
import { readSwitch } from '../../option-values.ts'
import { print, withJson } from '../../output.ts'
import { readPassword } from '../../password-input.ts'
import type { Service } from '../../service/service.ts'
import { goes, withService } from '../../service/ways.ts'
import { accountRow } from '../account-row.ts'
import { callAccount } from '../call-account.ts'
import { resetLinkCommand } from './reset-link.ts'

export function passwordCommands(accounts: Command, context: CommandContext): void {
  withJson(accounts.command('set-password <username>'))
    .description('set a new password, sign the account out of every browser, and revoke its unused logins')
    .option('--password-stdin', 'read the password from standard input')
    .action(async (username: string, options: CommonOptions & { readonly passwordStdin?: boolean }) => {
      const { setPassword } = await import('../../../accounts/passwords/set-password.ts')
      const password = await readPassword(context.streams, options.passwordStdin === true)
      const row = await context.withInstallation(async (installation) =>
        accountRow(
          await setPassword({ account: username, password, authority: installation.authority }, installation),
          installation,
        ),
      )
      print(context, options, row, `Changed the password of ${row.username}.`)
    })

  resetLinkCommand(accounts, context)

  withJson(accounts.command('password-logins <on|off> <username...>'))
    .description(
      'allow or forbid programs to log in with the password of accounts; browsers always accept it',
    )
    .action(async (state: string, usernames: readonly string[], options: CommonOptions) => {
      const { switchPasswordLogins } = await import('../../../accounts/switch-password-logins.ts')
      const on = readSwitch(state)
      const act = async (username: string, installation: Installation) => {
        const { authority } = installation
        const account = await switchPasswordLogins({ account: username, on, authority }, installation)
        const told = on
          ? `Programs may log in with the password of ${account.username}.`
          : `Programs can no longer log in with the password of ${account.username}. Their tokens stay valid.`
        return { value: await accountRow(account, installation), told }
      }
      await actOnEachDirectly(
        usernames,
        { thing: 'account', done: `switched ${state}`, act },
        options,
        context,
      )
    })

  setEmailCommand(accounts, context)
}

function setEmailCommand(accounts: Command, context: CommandContext): void {
  goes(withJson(accounts.command('set-email <username> <email>')), 'both', ['editAccount', 'account'])
    .description('change the e-mail address of an account')
    .action(async (username: string, email: string, options: CommonOptions) => {
      const {
        id,
        username: name,
        email: address,
      } = await withService(context, options, 'change', (service) => setEmail(username, email, service))
      const told = `The e-mail address of ${name} is now ${address}.`
      print(context, options, { id, username: name, email: address }, told)
    })
}

/** Changes the account, unless it changes between reading and writing. */
async function setEmail(username: string, text: string, service: Service): Promise<JsonObject> {
  const { checkEmail } = await import('../../../accounts/account-fields.ts')
  const { etag } = await callAccount(service, api.account, username)
  // Checks here, so that the message names the broken rule instead of a limit of the API's schema.
  const email = checkEmail(text)
  return (await callAccount(service, api.editAccount, username, { body: { email }, ifMatch: etag })).record
}
