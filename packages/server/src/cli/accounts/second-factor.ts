/** `ratafia accounts totp`: the second factor of an account. */
import type { Command } from 'commander'
import type { Account } from '../../accounts/account.ts'
import type { NewSecondFactor } from '../../accounts/second-factor/second-factor.ts'
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
    .action(async (username: string, options: CommonOptions) => {
      const made = await context.withInstallation((installation) => enable(username, false, installation))
      printOnce(made, 'now has a second factor', options, context)
    })

  withYes(withJson(totp.command('disable <username>')))
    .description('remove the second factor of an account, so that its password is enough again')
    .action(async (username: string, options: CommonOptions) => {
      const { disableSecondFactor } = await import('../../accounts/second-factor/disable.ts')
      const account = await context.withInstallation(async (installation) => {
        await confirm(context, options, async () => {
          const name = await usernameOf(username, installation)
          return `${name} will log in with only its password, and its recovery codes stop working.`
        })
        return disableSecondFactor({ account: username, authority: installation.authority }, installation)
      })
      const told = `The account ${account.username} no longer has a second factor.`
      print(context, options, { username: account.username, second_factor: false }, told)
    })

  withYes(withJson(totp.command('reset <username>')))
    .description('replace the second factor and recovery codes of an account; prints the new ones, once')
    .action(async (username: string, options: CommonOptions) => {
      const made = await context.withInstallation(async (installation) => {
        await confirm(context, options, async () => {
          const name = await usernameOf(username, installation)
          return `The authenticator and the recovery codes of ${name} stop working, and it is signed out of every browser.`
        })
        return enable(username, true, installation)
      })
      printOnce(made, 'now has a new second factor', options, context)
    })
}

async function enable(username: string, instead: boolean, installation: Installation) {
  const { enableSecondFactor } = await import('../../accounts/second-factor/enable.ts')
  const issuer = new URL(serviceAddress(installation.config)).host
  const { authority } = installation
  return enableSecondFactor({ account: username, issuer, instead, authority }, installation)
}

async function usernameOf(nameOrId: string, installation: Installation): Promise<string> {
  const { findAccount } = await import('../../accounts/find.ts')
  return (await findAccount(nameOrId, installation)).username
}

function printOnce(
  { account: { username }, secret, uri, recoveryCodes }: NewSecondFactor & { readonly account: Account },
  what: string,
  options: CommonOptions,
  context: CommandContext,
): void {
  const told = [
    `The account ${username} ${what}. Save these values: they are not shown again.`,
    `Secret:         ${secret}`,
    `Link:           ${uri}`,
    'Recovery codes, each for one login without the authenticator:',
    ...recoveryCodes.map((code) => `  ${code}`),
  ]
  print(context, options, { username, secret, uri, recovery_codes: recoveryCodes }, told.join('\n'))
}
