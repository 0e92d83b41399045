/** `ratafia setup-link`: prints a link that creates the first operator in a browser. */
import type { Command } from 'commander'
import { noSetupReason } from '../../config/setup.ts'
import { type CommandContext, type CommonOptions, ServiceRefusal } from '../context.ts'
import { serviceLocation } from '../identity-location.ts'
import { note, print, withJson } from '../output.ts'

export function setupLinkCommand(program: Command, context: CommandContext): void {
  withJson(program.command('setup-link'))
    .description(
      'print a link that creates the first operator in a browser, once, within 30 minutes; an earlier one stops working',
    )
    .option('--url <url>', 'address of the service (default: RATAFIA_BASE_URL)')
    .action(async (options: CommonOptions) => {
      const { makeSetupLink, setupAddress } = await import('../../identity/setup/setup-link.ts')
      await context.withInstallation(async (installation) => {
        const { authority, config } = installation
        const reason = noSetupReason(config)
        if (reason !== undefined) throw new ServiceRefusal(`There is no setup link. ${reason}`)
        const address = serviceLocation(options.url, context, config)
        const made = await makeSetupLink({ authority }, installation)
        const record = { url: setupAddress(address, made), expires_at: made.expiresAt.toISOString() }
        print(context, options, record, record.url)
        if (options.json) return
        note(
          context.streams,
          `Anyone with the link can become the operator of this installation, once, until ${record.expires_at}. An earlier link does not work any more.`,
        )
      })
    })
}
