/** `ratafia accounts totp`: the second factor of an account. */
import type { Command } from 'commander'
import type { Account } from '../../../accounts/account.ts'
import type { NewSecondFactor } from '../../../accounts/second-factor/second-factor.ts'
import { serviceAddress } from '../../../config/config.ts'
import type { Installation } from '../../../installation.ts'
import { confirm, withYes, type YesOption } from '../../confirm.ts'
import type { CommandContext } from '../../context.ts'
import { type JsonOption, print, withJson } from '../../output.ts'

export function secondFactorCommands(accounts: Command, context: CommandContext): void {
  const totp = accounts
    .command('totp')
    .description('the second factor of an account: codes of an authenticator, which change every 30 seconds')

  withJson(totp.command('enable <username>'))
    .description(
      'give an account a second factor, in force at once; prints its secret and recovery codes once',
    )
    .action(async (username: string, options: JsonOption) => {
      const made = await context.withInstallation((installation) => enable(username, false, installation))
      printOnce(made, 'has a second factor, in force at once', options, context)
    })

  withYes(withJson(totp.command('disable <username>')))
    .description('take the second factor from an account: its password is enough again')
    .action(async (username: string, options: JsonOption & YesOption) => {
      const { disableSecondFactor } = await import('../../../accounts/second-factor/disable.ts')
      const account = await context.withInstallation(async (installation) => {
        await confirm(context, options, async () => {
          const name = await usernameOf(username, installation)
          return `${name} logs in with its password alone, and its recovery codes end.`
        })
        return disableSecondFactor({ account: username, authority: installation.authority }, installation)
      })
      const told = `The account ${account.username} has no second factor any longer.`
      print(context, options, { username: account.username, second_factor: false }, told)
    })

  withYes(withJson(totp.command('reset <username>')))
    .description('replace the second factor of an account and its recovery codes; prints the new ones once')
    .action(async (username: string, options: JsonOption & YesOption) => {
      const made = await context.withInstallation(async (installation) => {
        await confirm(context, options, async () => {
          const name = await usernameOf(username, installation)
          return `The authenticator and the recovery codes of ${name} stop working, and it is signed out of every browser.`
        })
        return enable(username, true, installation)
      })
      printOnce(made, 'has a new second factor, in force at once', options, context)
    })
}

async function enable(username: string, instead: boolean, installation: Installation) {
  const { enableSecondFactor } = await import('../../../accounts/second-factor/enable.ts')
  const issuer = new URL(serviceAddress(installation.config)).host
  const { authority } = installation
  return enableSecondFactor({ account: username, issuer, instead, authority }, installation)
}

async function usernameOf(nameOrId: string, installation: Installation): Promise<string> {
  const { findAccount } = await import('../../../accounts/find.ts')
  return (await findAccount(nameOrId, installation)).username
}

function printOnce(
  { account: { username }, secret, uri, recoveryCodes }: NewSecondFactor & { readonly account: Account },
  what: string,
  options: JsonOption,
  context: CommandContext,
): void {
  const told = [
    `The account ${username} ${what}. Nothing of this can be shown again.`,
    `Secret:         ${secret}`,
    `Link:           ${uri}`,
    'Recovery codes, each for one login without the authenticator:',
    ...recoveryCodes.map((code) => `  ${code}`),
  ]
  print(context, options, { username, secret, uri, recovery_codes: recoveryCodes }, told.join('\n'))
}
