/** `ratafia sign-in-link`: lets an operator with access to the host sign in when normal sign-in is broken. */
import type { Command } from 'commander'
import type { CommandContext, CommonOptions } from '../../context.ts'
import { identityLocation } from '../../identity-location.ts'
import { note, print, withJson } from '../../output.ts'

export function signInLinkCommand(program: Command, context: CommandContext): void {
  withJson(program.command('sign-in-link <username>'))
    .description('print a link that signs a browser in without a password, once, within 10 minutes')
    .option('--url <url>', 'address of the identity service (default: RATAFIA_BASE_URL and /identity)')
    .action(async (username: string, options: CommonOptions & { readonly url?: string }) => {
      const { makeSignInLink, signInLinkRecord } = await import(
        '../../../accounts/one-time-links/sign-in-link.ts'
      )
      await context.withInstallation(async (installation) => {
        const { authority, config } = installation
        const location = identityLocation(options.url, config, 'Sign in there')
        const made = await makeSignInLink({ account: username, authority }, installation)
        const record = signInLinkRecord(made, location)
        print(context, options, record, record.url)
        if (options.json) return
        note(
          context.streams,
          `Anyone with the link can sign in as ${record.username}, once, until ${record.expires_at}. Give it only to that user.`,
        )
      })
    })
}
