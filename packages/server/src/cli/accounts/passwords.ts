/** `ratafia accounts set-password`, `reset-link`, `password-logins`, `set-email`: what people log in with. */
import type { Command } from 'commander'
import { actOnEach } from '../act-on-each.ts'
import { type CommandContext, UsageError } from '../context.ts'
import { identityLocation } from '../identity-location.ts'
import type { Installation } from '../installation.ts'
import { type JsonOption, note, print, withJson } from '../output.ts'
import { readPassword } from '../password-input.ts'
import { accountRow } from './account-row.ts'

/** A link that lies about for longer is one that somebody else finds. */
const LONGEST_LINK_MS = 30 * 86_400_000

export function passwordCommands(accounts: Command, context: CommandContext): void {
  withJson(accounts.command('set-password <username>'))
    .description('set a new password, sign the account out of every browser, and end its unused logins')
    .option('--password-stdin', 'read the password from standard input')
    .action(async (username: string, options: JsonOption & { readonly passwordStdin?: boolean }) => {
      const { setPassword } = await import('../../accounts/passwords/set-password.ts')
      const password = await readPassword(context.streams, options.passwordStdin === true)
      const row = await context.withInstallation(async (installation) =>
        accountRow(await setPassword({ account: username, password }, installation), installation),
      )
      print(context, options, row, `The password of ${row.username} is set.`)
    })

  withJson(accounts.command('reset-link <username>'))
    .description('print a link through which a person sets a new password, once')
    .option(
      '--expires <when>',
      'a time such as 2027-01-31T00:00:00Z, or from now: a number and s, m, h or d',
      '24h',
    )
    .option('--url <url>', 'location of the identity service (default: RATAFIA_BASE_URL and /identity)')
    .action((username: string, options: ResetLinkOptions) => printResetLink(username, options, context))

  withJson(accounts.command('password-logins <on|off> <username...>'))
    .description(
      'let programs log in with the password of accounts, or not; the browser takes it all the same',
    )
    .action(async (state: string, usernames: readonly string[], options: JsonOption) => {
      const { switchPasswordLogins } = await import('../../accounts/switch-password-logins.ts')
      if (state !== 'on' && state !== 'off')
        throw new UsageError(`Say "on" or "off", not ${JSON.stringify(state)}.`)
      const on = state === 'on'
      const act = async (username: string, installation: Installation) => {
        const account = await switchPasswordLogins({ account: username, on }, installation)
        const told = on
          ? `Programs may log in with the password of ${account.username}.`
          : `Programs may no longer log in with the password of ${account.username}. Their tokens stay valid.`
        return { value: await accountRow(account, installation), told }
      }
      await actOnEach(usernames, { thing: 'account', done: `switched ${state}`, act }, options, context)
    })

  withJson(accounts.command('set-email <username> <email>'))
    .description('give an account another e-mail address')
    .action(async (username: string, email: string, options: JsonOption) => {
      const { setEmail } = await import('../../accounts/set-email.ts')
      // Also before `ratafia migrate`, which refuses addresses that accounts share.
      const account = await context.withUnopenedInstallation('database', ({ inAccounts }) =>
        setEmail({ account: username, email }, { change: inAccounts }),
      )
      const { id, email: address } = account
      const told = `The e-mail address of ${account.username} is ${address}.`
      print(context, options, { id, username: account.username, email: address }, told)
    })
}

interface ResetLinkOptions extends JsonOption {
  readonly expires: string
  readonly url?: string
}

async function printResetLink(
  username: string,
  options: ResetLinkOptions,
  context: CommandContext,
): Promise<void> {
  const { passwordLinkRecord } = await import('../../accounts/administration/password-link.ts')
  const { makeResetLink } = await import('../../accounts/passwords/reset-link.ts')
  const { readInstant } = await import('../option-values.ts')
  const { record, url } = await context.withInstallation(async (installation) => {
    const { authority } = installation
    const location = identityLocation(options.url, installation.config, 'reset the password there')
    const now = installation.clock()
    const until = readInstant('--expires', options.expires, { now, direction: 'ahead' }) ?? now
    const lifetimeMs = until.getTime() - now.getTime()
    if (lifetimeMs <= 0 || lifetimeMs > LONGEST_LINK_MS) {
      throw new UsageError('--expires is not within the next 30 days.')
    }
    const made = await makeResetLink({ account: username, lifetimeMs, authority }, installation)
    return { record: passwordLinkRecord(made, location), url: `${location}/reset?secret=${made.secret}` }
  })
  print(context, options, record, url)
  if (!options.json) {
    note(
      context.streams,
      `Whoever has the link sets the password of ${record.username}: once, until ${record.expires_at}, or until its logins are ended.`,
    )
  }
}
