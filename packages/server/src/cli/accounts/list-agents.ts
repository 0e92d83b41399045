/** `ratafia agents list`: all agents on the database, or those of one account over HTTP. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { isObject, type JsonObject } from '../../foreign-json.ts'
import type { Installation } from '../../installation.ts'
import { type CommandContext, type CommonOptions, UsageError } from '../context.ts'
import { note, print, printList, type Row, withList } from '../output.ts'
import { asRow } from '../service/as-row.ts'
import type { ListPart, Service } from '../service/service.ts'
import { goes, isDirect, requireService, withService } from '../service/ways.ts'
import { requireAccountName } from './call-account.ts'

/** More than any installation has; a service whose list never ends is not a Ratafia. */
const MOST = 1_000_000

const COLUMNS = ['name', 'account', 'limits', 'public_key', 'created_at']

interface ListOptions extends CommonOptions {
  readonly account?: string
  readonly mine?: boolean
}

export function listAgentsCommand(agents: Command, context: CommandContext): void {
  goes(withList(agents.command('list'), COLUMNS), 'both', ['accountAgents', 'myAgents'])
    .description('list all agents, by name; over HTTP, the agents of one account')
    .option('--account <username>', 'only agents of one account')
    .option('--mine', 'only your own agents (over HTTP)')
    .action(async (options: ListOptions) => {
      refuseBoth(options)
      if (options.mine) requireService(options, context, '--mine')
      const { records, more } =
        options.account === undefined && isDirect(options, context)
          ? await context.readInstallation(allAgents)
          : await withService(context, options, 'read', (service) => agentsOf(options, service))
      if (options.json) print(context, options, records, '')
      else {
        printList(context, options, records.map(rowOf), {
          columns: COLUMNS,
          empty: 'No agents yet. Create one with `ratafia agents add NAME --account USERNAME`.',
        })
      }
      if (more) note(context.streams, `Only the first ${MOST} are shown.`)
    })
}

/** Throws {@link UsageError} for both options. */
export function refuseBoth({ account, mine }: Pick<ListOptions, 'account' | 'mine'>): void {
  if (mine && account !== undefined) throw new UsageError('Pass either --account or --mine, not both.')
}

/** Returns the agents of all accounts, which only a command on the database can list together. */
async function allAgents({ authority, ...stores }: Installation): Promise<ListPart> {
  const { agentRecord } = await import('../../identity/agents/agent-record.ts')
  const { listAgents } = await import('../../identity/agents/list-agents.ts')
  const records: JsonObject[] = []
  for (let after: string | undefined; ; ) {
    const page = await listAgents({ authority, after, limit: 1000 }, stores)
    records.push(...page.rows.map(agentRecord))
    if (!page.next) return { records, more: false }
    after = page.next.name
  }
}

async function agentsOf({ account, mine }: ListOptions, service: Service) {
  if (mine) return service.list(api.myAgents, 'agents', { most: MOST })
  if (account === undefined) {
    throw new UsageError(
      "A service lists the agents of one account. Pass --account USERNAME or --mine, or --direct on the database's host.",
    )
  }
  await requireAccountName(account)
  return service.list(api.accountAgents, 'agents', { id: account, most: MOST })
}

const rowOf = (record: JsonObject): Row => ({ ...asRow(record), limits: limitsText(record['limits']) })

/** Returns the limits, named like the options. */
function limitsText(limits: unknown): string {
  const { permissions, channels, packages, store_ids, max_lifetime_seconds } = isObject(limits) ? limits : {}
  const lists = { permission: permissions, channel: channels, package: packages, store: store_ids }
  const parts = Object.entries(lists).flatMap(([name, list]) =>
    Array.isArray(list) ? `${name} ${list.join(', ')}` : [],
  )
  if (typeof max_lifetime_seconds === 'number') parts.push(`max-lifetime ${max_lifetime_seconds}s`)
  return parts.length === 0 ? 'none' : parts.join('; ')
}
