/** `ratafia accounts totp`: the second factor of an account. */
import type { Command } from 'commander'
import { serviceAddress } from '../../config/config.ts'
import type { Installation } from '../../installation.ts'
import { confirm, withYes } from '../confirm.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { print, withJson } from '../output.ts'

export function secondFactorCommands(accounts: Command, context: CommandContext): void {
  const totp = accounts
    .command('totp')
    .description('manage the second factor of an account: authenticator codes, which change every 30 seconds')

  withJson(totp.command('enable <username>'))
    .description('enable a second factor immediately; prints its secret and recovery codes, once')
    .action((name: string, options: CommonOptions) => enable(name, false, options, context))

  withYes(withJson(totp.command('disable <username>')))
    .description('remove the second factor of an account, so that its password is enough again')
    .action(async (name: string, options: CommonOptions) => {
      const { disableSecondFactor } = await import('../../accounts/second-factor/disable.ts')
      const { username } = await context.withInstallation(async (installation) => {
        await confirm(context, options, async () => {
          const found = await usernameOf(name, installation)
          return `${found} will log in with only its password, and its recovery codes stop working.`
        })
        return disableSecondFactor({ account: name, authority: installation.authority }, installation)
      })
      const told = `The account ${username} no longer has a second factor.`
      print(context, options, { username, second_factor: false }, told)
    })

  withYes(withJson(totp.command('reset <username>')))
    .description('replace the second factor and recovery codes of an account; prints the new ones, once')
    .action((name: string, options: CommonOptions) => enable(name, true, options, context))
}

async function usernameOf(nameOrId: string, installation: Installation): Promise<string> {
  const { findAccount } = await import('../../accounts/find.ts')
  return (await findAccount(nameOrId, installation)).username
}

/** Enables a second factor, with `instead` in place of the account's own. Prints the secrets, once. */
async function enable(account: string, instead: boolean, options: CommonOptions, context: CommandContext) {
  const { enableSecondFactor } = await import('../../accounts/second-factor/enable.ts')
  const made = await context.withInstallation(async (installation) => {
    if (instead) {
      await confirm(context, options, async () => {
        const name = await usernameOf(account, installation)
        return `The authenticator and the recovery codes of ${name} stop working, and it is signed out of every browser.`
      })
    }
    const issuer = new URL(serviceAddress(installation.config)).host
    const { authority } = installation
    return enableSecondFactor({ account, issuer, instead, authority }, installation)
  })
  const { secret, uri, recoveryCodes } = made
  const { username } = made.account
  const told = [
    `The account ${username} now has a ${instead ? 'new ' : ''}second factor. Save these values: they are not shown again.`,
    `Secret:         ${secret}`,
    `Link:           ${uri}`,
    'Recovery codes, each for one login without the authenticator:',
    ...recoveryCodes.map((code) => `  ${code}`),
  ]
  print(context, options, { username, secret, uri, recovery_codes: recoveryCodes }, told.join('\n'))
}
