/** `ratafia agents remove`, on the database or at a service. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { actOnAll } from '../act-on-each.ts'
import { withYes, type YesOption } from '../confirm.ts'
import { type CommandContext, ServiceRefusal, UsageError } from '../context.ts'
import { type JsonOption, withJson } from '../output.ts'
import type { Service } from '../service/service.ts'
import { goes, isDirect, requireService, type WayOptions, withService } from '../service/ways.ts'
import { accountOver } from './account-over.ts'
import { refuseBoth } from './list-agents.ts'

interface RemoveOptions extends JsonOption, YesOption, WayOptions {
  readonly account?: string
  readonly mine?: boolean
}

export function removeAgentsCommand(agents: Command, context: CommandContext): void {
  goes(withYes(withJson(agents.command('remove <name...>'))), 'both', ['removeAgent', 'removeMyAgent'])
    .description(
      "remove agents and end their accounts' unused logins; their tokens stay valid until they are revoked",
    )
    .option('--account <username>', 'only if they are of this account; at a service, say whose they are')
    .option('--mine', 'my own, at a service')
    .action(async (names: readonly string[], options: RemoveOptions) => {
      refuseBoth(options)
      const each = (remove: (name: string) => Promise<unknown>): Promise<void> =>
        actOnAll(
          names,
          {
            ...{ thing: 'agent', done: 'removed' },
            consequence: (name) => `The key of the agent ${name} stops working for good.`,
            act: async (name) => {
              await remove(name)
              const told = `The agent ${name} is removed. Its tokens stay valid: see \`ratafia tokens list\`.`
              return { value: { removed: name }, told }
            },
          },
          options,
          context,
          undefined,
        )
      if (options.mine) requireService(options, context, '--mine')
      if (options.account === undefined && isDirect(options, context)) {
        const { removeAgent } = await import('../../identity/agents/remove-agent.ts')
        return context.withInstallation(async (installation) => {
          const { authority } = installation
          await each((name) => removeAgent({ name, account: undefined, authority }, installation))
        })
      }
      await withService(context, options, 'change', (service) => each(removalOf(options, service)))
    })
}

/** Throws {@link UsageError} where nothing says whose agents they are. */
function removalOf({ account, mine }: RemoveOptions, service: Service) {
  if (!mine && account === undefined) {
    throw new UsageError(
      'A service removes agents of an account: give --account USERNAME, --mine, or --direct where the database is.',
    )
  }
  return async (name: string) => {
    const { isAgentName } = await import('../../identity/agents/agent-name.ts')
    if (!isAgentName(name)) {
      const { noSuchAgent } = await import('../../identity/agents/remove-agent.ts')
      const { code, message } = noSuchAgent(name)
      throw new ServiceRefusal(message, { code })
    }
    return account === undefined
      ? service.call(api.removeMyAgent, { id: name, body: {} })
      : accountOver(service, api.removeAgent, account, { names: { name } })
  }
}
