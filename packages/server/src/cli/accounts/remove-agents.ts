/** `ratafia agents remove`. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import type { Installation } from '../../installation.ts'
import { actOnEach, actOnEachDirectly } from '../act-on-each.ts'
import { withYes } from '../confirm.ts'
import { type CommandContext, type CommonOptions, ServiceRefusal, UsageError } from '../context.ts'
import { withJson } from '../output.ts'
import type { Service } from '../service/service.ts'
import { goes, isDirect, requireService } from '../service/ways.ts'
import { callAccount } from './call-account.ts'
import { refuseBoth } from './list-agents.ts'

interface RemoveOptions extends CommonOptions {
  readonly account?: string
  readonly mine?: boolean
}

export function removeAgentsCommand(agents: Command, context: CommandContext): void {
  goes(withYes(withJson(agents.command('remove <name...>'))), 'both', ['removeAgent', 'removeMyAgent'])
    .description(
      "remove agents and revoke their accounts' unused logins; their tokens stay valid until they are revoked",
    )
    .option('--account <username>', 'the account of the agents; required over HTTP without --mine')
    .option('--mine', 'your own agents (over HTTP)')
    .action(async (names: readonly string[], options: RemoveOptions) => {
      refuseBoth(options)
      if (options.mine) requireService(options, context, '--mine')
      const thing = { thing: 'agent', done: 'removed' }
      const consequence = (name: string) => `The key of the agent ${name} permanently stops working.`
      const removed = (name: string) => ({
        value: { removed: name },
        told: `Removed the agent ${name}. Its tokens stay valid; see \`ratafia tokens list\`.`,
      })
      if (options.account === undefined && isDirect(options, context)) {
        const { removeAgent } = await import('../../identity/agents/remove-agent.ts')
        const act = async (name: string, { authority, ...stores }: Installation) => {
          await removeAgent({ name, account: undefined, authority }, stores)
          return removed(name)
        }
        return actOnEachDirectly(names, { ...thing, consequence, act }, options, context)
      }
      requireWhose(options)
      const act = async (name: string, service: Service) => {
        await remove(name, options, service)
        return removed(name)
      }
      await actOnEach(names, { ...thing, consequence, act }, options, context)
    })
}

/** Throws {@link UsageError} without `--account` or `--mine`. */
function requireWhose({ account, mine }: RemoveOptions): void {
  if (mine || account !== undefined) return
  throw new UsageError(
    "A service removes agents of one account. Pass --account USERNAME or --mine, or --direct on the database's host.",
  )
}

async function remove(name: string, { account }: RemoveOptions, service: Service): Promise<void> {
  const { isAgentName } = await import('../../identity/agents/agent-name.ts')
  if (!isAgentName(name)) {
    const { noSuchAgent } = await import('../../identity/agents/remove-agent.ts')
    const { code, message } = noSuchAgent(name)
    throw new ServiceRefusal(message, { code })
  }
  await (account === undefined
    ? service.call(api.removeMyAgent, { id: name, body: {} })
    : callAccount(service, api.removeAgent, account, { names: { name } }))
}
