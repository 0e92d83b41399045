/** `ratafia whoami` and `ratafia logout`: show and end the login that commands use to administer a service. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { type CommandContext, type CommonOptions, ServiceRefusal } from '../context.ts'
import { note, print, withJson } from '../output.ts'
import { addressOf, goes } from '../service/ways.ts'

export function sessionCommands(parent: Command, context: CommandContext): void {
  goes(withJson(parent.command('whoami')), 'http', ['me'])
    .description('show your account on a service, your roles, and the permissions of your token')
    .action(async (options: CommonOptions) => {
      const { openService } = await import('../service/open-service.ts')
      const { whoamiText } = await import('./whoami-text.ts')
      const url = await addressOf(options, context)
      const { record } = await (await openService(url, context)).call(api.me)
      print(context, options, record, whoamiText(record, url))
    })

  goes(parent.command('logout'), 'http', ['revokeMyToken'])
    .description('log out: revoke the session from `ratafia login` and remove its token')
    .action(async (options: CommonOptions) => {
      const { credentialFor, keepCredential } = await import('../service/credentials.ts')
      const { serviceAt } = await import('../service/http-service.ts')
      const url = await addressOf(options, context)
      const credentialsFile = context.service.credentialsFile()
      const kept = await credentialFor(url, credentialsFile)
      if (!kept) throw new ServiceRefusal(`You are not logged in at ${url}.`, { code: 'not-logged-in' })
      const service = serviceAt(url, { token: kept.token, renew: undefined })
      const ended = await service.call(api.revokeMyToken, { id: kept.sessionId }).catch((error: unknown) => {
        // A token that no longer works needs no revocation. If the service does not answer, the token is
        // kept.
        if (!(error instanceof ServiceRefusal)) throw error
        return undefined
      })
      await keepCredential(url, undefined, credentialsFile)
      note(
        context.streams,
        ended
          ? `Logged out at ${url}. The session ${kept.sessionId} is revoked.`
          : `Logged out. The login at ${url} was no longer valid.`,
      )
    })
}
