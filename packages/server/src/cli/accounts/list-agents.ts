/** `ratafia agents list`, on the database or at a service, which lists those of one account. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { isObject, type JsonObject } from '../../foreign-json.ts'
import type { Installation } from '../../installation.ts'
import { type CommandContext, UsageError } from '../context.ts'
import { type ListOption, note, print, printList, type Row, withList } from '../output.ts'
import { asRow } from '../service/as-row.ts'
import type { Service } from '../service/service.ts'
import { eitherWay, goes, type WayOptions } from '../service/ways.ts'
import { requireAccountName } from './account-over.ts'

/** More than anyone reads at once; a service that goes on for ever is none of ours. */
const MOST = 1_000_000

const COLUMNS = ['name', 'account', 'limits', 'public_key', 'created_at']

interface ListOptions extends ListOption, WayOptions {
  readonly account?: string
  readonly mine?: boolean
}

export function listAgentsCommand(agents: Command, context: CommandContext): void {
  goes(withList(agents.command('list'), COLUMNS), 'both', ['accountAgents', 'myAgents'])
    .description('list all agents, by name; at a service, those of one account')
    .option('--account <username>', 'only those of one account')
    .option('--mine', 'only my own, at a service')
    .action(async (options: ListOptions) => {
      refuseBoth(options)
      const { records, more } = await eitherWay(context, options, 'read', {
        directly: async (installation) => ({ records: await agentsHere(options, installation), more: false }),
        over: (service) => agentsThere(options, service),
      })
      if (options.json) print(context, options, records, '')
      else {
        printList(context, options, records.map(rowOf), {
          columns: COLUMNS,
          empty: 'There is no agent. `ratafia agents add NAME --account USERNAME` makes one.',
        })
      }
      if (more) note(context.streams, `Only the first ${MOST} are shown.`)
    })
}

/** Throws {@link UsageError}. */
export function refuseBoth({ account, mine }: Pick<ListOptions, 'account' | 'mine'>): void {
  if (mine && account !== undefined) throw new UsageError('Give either --account or --mine.')
}

/** Throws {@link UsageError} for --mine where nobody is logged in. */
export function refuseMine({ mine }: Pick<ListOptions, 'mine'>): void {
  if (mine) throw new UsageError('--mine is for a service: on the database nobody is logged in.')
}

/** Those on the database. Throws {@link UsageError} for `--mine`. */
export async function agentsHere(
  options: Pick<ListOptions, 'account' | 'mine'>,
  installation: Installation,
): Promise<readonly JsonObject[]> {
  refuseMine(options)
  const { agentRecord } = await import('../../identity/agents/agent-record.ts')
  const { listAgents } = await import('../../identity/agents/list-agents.ts')
  const only = { account: options.account, authority: installation.authority }
  const all: JsonObject[] = []
  for (let after: string | undefined; ; ) {
    const page = await listAgents({ ...only, after, limit: 1000 }, installation)
    all.push(...page.agents.map(agentRecord))
    if (page.next === undefined) return all
    after = page.next
  }
}

async function agentsThere({ account, mine }: ListOptions, service: Service) {
  if (mine) return service.list(api.myAgents, 'agents', { most: MOST })
  if (account === undefined) {
    throw new UsageError(
      'A service lists the agents of one account: give --account USERNAME, --mine, or --direct where the database is.',
    )
  }
  await requireAccountName(account)
  return service.list(api.accountAgents, 'agents', { id: account, most: MOST })
}

const rowOf = (record: JsonObject): Row => ({ ...asRow(record), limits: limitsText(record['limits']) })

/** In the words of the options. */
function limitsText(limits: unknown): string {
  const { permissions, channels, packages, store_ids, max_lifetime_seconds } = isObject(limits) ? limits : {}
  const lists = { permission: permissions, channel: channels, package: packages, store: store_ids }
  const parts = Object.entries(lists).flatMap(([name, list]) =>
    Array.isArray(list) ? `${name} ${list.join(', ')}` : [],
  )
  if (typeof max_lifetime_seconds === 'number') parts.push(`max-lifetime ${max_lifetime_seconds}s`)
  return parts.length === 0 ? 'none' : parts.join('; ')
}
