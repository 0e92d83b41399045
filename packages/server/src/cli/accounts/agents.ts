/** `ratafia agents`: programs that log in with a key of their own, as an account. */
import { open, rm } from 'node:fs/promises'
import type { Command } from 'commander'
import { type Config, serviceAddress } from '../../config/config.ts'
import { parseServiceUrl } from '../../config/values.ts'
import { confirm, withYes, type YesOption } from '../confirm.ts'
import { type CommandContext, FileError, UsageError } from '../context.ts'
import { type JsonOption, note, print, printList, type Row, withJson, withList } from '../output.ts'

interface AddOptions extends JsonOption {
  readonly account: string
  readonly url?: string
  readonly publicKey?: string
  readonly output?: string
}

export function agentCommands(parent: Command, context: CommandContext): void {
  const agents = parent
    .command('agents')
    .description('programs that log in with a key of their own, as an account')

  withJson(agents.command('add <name>'))
    .description('add an agent and print, once, its agents file, which Go and Python bakery clients read')
    .requiredOption('--account <username>', 'the account it logs in as')
    .option('--url <url>', 'location of the identity service (default: RATAFIA_BASE_URL and /identity)')
    .option(
      '--public-key <base64>',
      'public key of a key pair that the program already has; no file is printed',
    )
    .option('--output <file>', 'write the agents file here (mode 0600) instead of printing it')
    .action((name: string, options: AddOptions) => add(name, options, context))

  withList(agents.command('list'))
    .description('list all agents, by name')
    .option('--account <username>', 'only those of one account')
    .action(async (options: JsonOption & { readonly account?: string }) => {
      const { listAgents } = await import('../../identity/agents/list-agents.ts')
      const rows = await context.readInstallation(async (installation) => {
        const all: Row[] = []
        for (let after: string | undefined; ; ) {
          const page = await listAgents({ account: options.account, after, limit: 1000 }, installation)
          all.push(...page.agents.map(row))
          if (page.next === undefined) return all
          after = page.next
        }
      })
      printList(context, options, rows, {
        columns: ['name', 'account', 'public_key', 'created_at'],
        empty: 'There is no agent. `ratafia agents add NAME --account USERNAME` makes one.',
      })
    })

  withYes(withJson(agents.command('remove <name>')))
    .description('remove an agent: its key stops working; its tokens stay valid until they are revoked')
    .action(async (name: string, options: JsonOption & YesOption) => {
      const { removeAgent } = await import('../../identity/agents/remove-agent.ts')
      await confirm(context, options, `The key of the agent ${name} stops working for good.`)
      await context.withInstallation((installation) => removeAgent(name, installation))
      print(context, options, { removed: name }, `The agent ${name} is removed.`)
    })
}

async function add(name: string, options: AddOptions, context: CommandContext): Promise<void> {
  const { addAgent } = await import('../../identity/agents/add-agent.ts')
  if (options.publicKey !== undefined && options.output !== undefined) {
    throw new UsageError('With --public-key there is no agents file to write: leave --output out.')
  }
  // Before the agent is made: its private key would have nowhere to go.
  const output = options.output === undefined ? undefined : await createFile(options.output)
  try {
    const { agent, account, file } = await context.withInstallation((installation) =>
      addAgent(
        { name, account: options.account, publicKey: options.publicKey },
        { ...installation, location: identityLocation(options.url, installation.config) },
      ),
    )
    const text = file && JSON.stringify(file, undefined, 2)
    if (text !== undefined) await output?.write(`${text}\n`)
    const told = `The agent ${name} logs in as ${account.username}.`
    const made = row({ ...agent, account })
    if (text === undefined || output) {
      print(context, options, made, output ? `${told} Its agents file is ${output.path}.` : told)
    } else {
      print(context, options, { ...made, file }, text)
      if (!options.json) note(context.streams, `${told} Its private key is stored nowhere else.`)
    }
  } catch (error) {
    await output?.remove()
    throw error
  } finally {
    await output?.close()
  }
}

/** A new file, mode 0600. Throws {@link FileError}. */
async function createFile(path: string) {
  const handle = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    const why =
      error.code === 'EEXIST' ? 'already exists, and is not overwritten' : `cannot be written (${error.code})`
    throw new FileError(`${path} ${why}. No agent was made.`)
  })
  return {
    path,
    write: async (text: string) => {
      await handle.writeFile(text)
      await handle.sync()
    },
    remove: () => rm(path, { force: true }),
    close: () => handle.close(),
  }
}

/** Throws {@link UsageError} if neither --url nor the configuration gives it. */
function identityLocation(given: string | undefined, config: Config): string {
  const { baseUrl, port, identity } = config
  if (given !== undefined) return serviceUrl(given)
  if (identity) {
    throw new UsageError('The identity service is elsewhere (RATAFIA_IDENTITY_URL): make the agent there.')
  }
  if (baseUrl === undefined && port === 0) {
    throw new UsageError('Give --url: with RATAFIA_PORT=0 and no RATAFIA_BASE_URL the location is not known.')
  }
  return `${serviceAddress(config)}/identity`
}

function serviceUrl(text: string): string {
  try {
    return parseServiceUrl(text)
  } catch (error) {
    throw new UsageError(`--url ${error instanceof Error ? error.message : String(error)}`)
  }
}

const row = (agent: {
  readonly name: string
  readonly account: { readonly username: string }
  readonly publicKey: Uint8Array
  readonly createdAt: Date
}): Row => ({
  name: agent.name,
  account: agent.account.username,
  public_key: Buffer.from(agent.publicKey).toString('base64'),
  created_at: agent.createdAt.toISOString(),
})
