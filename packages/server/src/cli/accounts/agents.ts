/** `ratafia agents`: programs that log in as an account, with a key of their own. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { isObject, type JsonObject } from '../../foreign-json.ts'
import type { AgentsFile } from '../../identity/agents/add-agent.ts'
import type { WantedLimits } from '../../identity/agents/agent-limits.ts'
import type { Installation } from '../../installation.ts'
import { actOnEach, actOnEachDirectly } from '../act-on-each.ts'
import { withYes } from '../confirm.ts'
import { type CommandContext, type CommonOptions, ServiceRefusal, UsageError } from '../context.ts'
import { type NewFile, withNewFile } from '../files.ts'
import { identityLocation } from '../identity-location.ts'
import { orEnd, printCredential } from '../login/print-credential.ts'
import { packageReference, readDuration, several } from '../option-values.ts'
import { note, print, type Row, withJson, withList } from '../output.ts'
import { asRow, printRecords } from '../service/records.ts'
import type { ListPart, Service } from '../service/service.ts'
import { goes, isDirect, requireService, withService } from '../service/ways.ts'
import { escaped } from '../terminal/harmless.ts'
import type { LimitOptions } from '../tokens/limit-options.ts'
import { callAccount, requireAccountName } from './account.ts'

interface AddOptions extends CommonOptions, LimitOptions {
  readonly account: string
  readonly publicKey?: string
  readonly output?: string
  readonly maxLifetime?: string
}

/** The options that select the account whose agents a command is about. */
interface WhoseOptions extends CommonOptions {
  readonly account?: string
  readonly mine?: boolean
}

/** More than any installation has; a service whose list never ends is not a Ratafia. */
const MOST = 1_000_000
const COLUMNS = ['name', 'account', 'limits', 'public_key', 'created_at']

export function agentCommands(parent: Command, context: CommandContext): void {
  const agents = parent
    .command('agents')
    .description('manage agents: programs that log in as an account, with a key of their own')

  withJson(agents.command('add <name>'))
    .description(
      'add an agent and print its agents file, once; bakery clients in Go, Python and JavaScript read the file',
    )
    .requiredOption('--account <username>', 'the account that the agent logs in as')
    .option('--url <url>', 'address of the identity service (default: RATAFIA_BASE_URL and /identity)')
    .option(
      '--public-key <base64>',
      'public key of a key pair that the program already has; the command then does not print a file',
    )
    .option('--permission <name>', 'limit its tokens to this permission; repeatable', several)
    .option('--channel <pattern>', 'limit its tokens to this channel (repeatable)', several)
    .option('--package <name>', 'limit its tokens to this package (a name or a snap id); repeatable', several)
    .option('--store <id>', 'limit its tokens to this store; repeatable', several)
    .option(
      '--max-lifetime <duration>',
      'how long after a login its tokens expire at most, such as 1h or 30d',
    )
    .option('--output <file>', 'write the agents file here (mode 0600) instead of printing it')
    .action((name: string, options: AddOptions) => add(name, options, context))

  goes(withList(agents.command('list'), COLUMNS), 'both', ['accountAgents', 'myAgents'])
    .description('list all agents, by name; over HTTP, the agents of one account')
    .option('--account <username>', 'only agents of one account')
    .option('--mine', 'only your own agents (over HTTP)')
    .action((options: WhoseOptions) => list(options, context))

  goes(withYes(withJson(agents.command('remove <name...>'))), 'both', ['removeAgent', 'removeMyAgent'])
    .description(
      "remove agents and revoke their accounts' unused logins; their tokens stay valid until they are revoked",
    )
    .option('--account <username>', 'the account of the agents; required over HTTP without --mine')
    .option('--mine', 'your own agents (over HTTP)')
    .action((names: readonly string[], options: WhoseOptions) => remove(names, options, context))
}

async function add(name: string, options: AddOptions, context: CommandContext): Promise<void> {
  const { addAgent } = await import('../../identity/agents/add-agent.ts')
  const { agentRecord } = await import('../../identity/agents/list-agents.ts')
  const { wantedLimits } = await import('../tokens/read-limit-options.ts')
  const { publicKey, output: path, permission, channel, store } = options
  if (publicKey !== undefined && path !== undefined) {
    throw new UsageError('With --public-key there is no agents file to write. Leave out --output.')
  }
  wantedLimits({ permission, channel, store })
  const addTo = async (installation: Installation, output?: NewFile) => {
    const { config, authority } = installation
    const limits = await limitsOf(options, installation)
    const location = identityLocation(options.url, context, config, 'Create the agent there')
    const keep = output && ((made: AgentsFile) => output.write(`${textOf(made)}\n`))
    const { agent, account, file } = await addAgent(
      { name, account: options.account, publicKey, limits, keep, authority },
      { ...installation, location },
    )
    const told = `Created the agent ${name}, which logs in as ${account.username}.`
    return { made: agentRecord({ ...agent, account }), file, told }
  }
  if (path !== undefined) {
    const { made, told } = await withNewFile(
      path,
      { secret: true, otherwise: 'No agent was created.' },
      (output) => context.withInstallation((installation) => addTo(installation, output)),
    )
    return print(context, options, made, `${told} Its agents file is ${path}.`)
  }
  await context.withInstallation(async (installation) => {
    const { made, file, told } = await addTo(installation)
    if (file === undefined) return print(context, options, made, told)
    const text = options.json ? escaped(JSON.stringify({ ...made, file })) : textOf(file)
    await orEnd(
      `The agent ${name}`,
      () => printCredential(text, context.streams),
      async () => {
        const { removeAgent } = await import('../../identity/agents/remove-agent.ts')
        await removeAgent({ name, authority: installation.authority }, installation)
      },
    )
    if (!options.json) note(context.streams, `${told} Its private key is stored nowhere else.`)
  })
}

const textOf = (file: AgentsFile): string => JSON.stringify(file, undefined, 2)

/** Returns the limits, with packages from the directory, as in a request for a token. Throws {@link UsageError}. */
async function limitsOf(options: AddOptions, installation: Installation): Promise<WantedLimits> {
  const { resolvePackages } = await import('../../package-directory/resolve.ts')
  const { package: packages, maxLifetime } = options
  return {
    permissions: options.permission,
    channels: options.channel,
    packages: packages && (await resolvePackages(packages.map(packageReference), installation)),
    storeIds: options.store,
    maxLifetime: maxLifetime === undefined ? undefined : readDuration('--max-lifetime', maxLifetime),
  }
}

/** Returns whether the command is about the agents of all accounts, on the database. Throws {@link UsageError}. */
function isAboutAll(options: WhoseOptions, context: CommandContext): boolean {
  const { account, mine } = options
  if (mine && account !== undefined) throw new UsageError('Pass either --account or --mine, not both.')
  if (mine) requireService(options, context, '--mine')
  return account === undefined && isDirect(options, context)
}

/** The agents of all accounts, which only a command on the database can list together; else those of one account. */
async function list(options: WhoseOptions, context: CommandContext): Promise<void> {
  const { records, more } = isAboutAll(options, context)
    ? await context.readInstallation(allAgents)
    : await withService(context, options, 'read', (service) => agentsOf(options, service))
  printRecords(context, options, records, {
    columns: COLUMNS,
    empty: 'No agents yet. Create one with `ratafia agents add NAME --account USERNAME`.',
    filters: { account: options.account },
    row: (record): Row => ({ ...asRow(record), limits: limitsText(record['limits']) }),
  })
  if (more) note(context.streams, `Only the first ${MOST} are shown.`)
}

async function allAgents({ authority, ...stores }: Installation): Promise<ListPart> {
  const { agentRecord } = await import('../../identity/agents/list-agents.ts')
  const { listAgents } = await import('../../identity/agents/list-agents.ts')
  const records: JsonObject[] = []
  for (let after: string | undefined; ; ) {
    const page = await listAgents({ authority, after, limit: 1000 }, stores)
    records.push(...page.rows.map(agentRecord))
    if (!page.next) return { records, more: false }
    after = page.next.name
  }
}

async function agentsOf({ account, mine }: WhoseOptions, service: Service): Promise<ListPart> {
  if (mine) return service.list(api.myAgents, 'agents', { most: MOST })
  if (account === undefined) {
    throw new UsageError(
      "A service lists the agents of one account. Pass --account USERNAME or --mine, or --direct on the database's host.",
    )
  }
  await requireAccountName(account)
  return service.list(api.accountAgents, 'agents', { id: account, most: MOST })
}

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

async function remove(names: readonly string[], options: WhoseOptions, context: CommandContext) {
  const removal = {
    ...{ thing: 'agent', done: 'removed' },
    consequence: (name: string) => `The key of the agent ${name} permanently stops working.`,
  }
  const removed = (name: string) => ({
    value: { removed: name },
    told: `Removed the agent ${name}. Its tokens stay valid; see \`ratafia tokens list\`.`,
  })
  if (isAboutAll(options, context)) {
    const { removeAgent } = await import('../../identity/agents/remove-agent.ts')
    const act = async (name: string, { authority, ...stores }: Installation) => {
      await removeAgent({ name, account: undefined, authority }, stores)
      return removed(name)
    }
    return actOnEachDirectly(names, { ...removal, act }, options, context)
  }
  if (!options.mine && options.account === undefined) {
    throw new UsageError(
      "A service removes agents of one account. Pass --account USERNAME or --mine, or --direct on the database's host.",
    )
  }
  const act = async (name: string, service: Service) => {
    await removeFrom(options.account, name, service)
    return removed(name)
  }
  await actOnEach(names, { ...removal, act }, options, context)
}

/** Removes an agent of the account, or without one of the caller's own. Throws {@link ServiceRefusal}. */
async function removeFrom(account: string | undefined, name: string, service: Service): Promise<void> {
  const { isAgentName } = await import('../../identity/agents/agent-name.ts')
  if (!isAgentName(name)) {
    const { noSuchAgent } = await import('../../identity/agents/remove-agent.ts')
    throw ServiceRefusal.like(noSuchAgent(name))
  }
  await (account === undefined
    ? service.call(api.removeMyAgent, { id: name, body: {} })
    : callAccount(service, api.removeAgent, account, { names: { name } }))
}
