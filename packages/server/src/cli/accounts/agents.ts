/** `ratafia agents`: programs that log in as an account, with a key of their own. */
import type { Command } from 'commander'
import type { AgentsFile } from '../../identity/agents/add-agent.ts'
import type { WantedLimits } from '../../identity/agents/agent-limits.ts'
import type { Installation } from '../../installation.ts'
import { type CommandContext, type CommonOptions, UsageError } from '../context.ts'
import { type NewFile, withNewFile } from '../files.ts'
import { identityLocation } from '../identity-location.ts'
import { orEnd } from '../login/or-end.ts'
import { printCredential } from '../login/print-credential.ts'
import { packageReference, readDuration, several } from '../option-values.ts'
import { note, print, withJson } from '../output.ts'
import { escaped } from '../terminal/harmless.ts'
import { listAgentsCommand } from './list-agents.ts'
import { removeAgentsCommand } from './remove-agents.ts'

interface AddOptions extends CommonOptions {
  readonly account: string
  readonly url?: string
  readonly publicKey?: string
  readonly output?: string
  readonly permission?: readonly string[]
  readonly channel?: readonly string[]
  readonly package?: readonly string[]
  readonly store?: readonly string[]
  readonly maxLifetime?: string
}

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

  listAgentsCommand(agents, context)
  removeAgentsCommand(agents, context)
}

async function add(name: string, options: AddOptions, context: CommandContext): Promise<void> {
  const { addAgent } = await import('../../identity/agents/add-agent.ts')
  const { agentRecord } = await import('../../identity/agents/agent-record.ts')
  if (options.publicKey !== undefined && options.output !== undefined) {
    throw new UsageError('With --public-key there is no agents file to write. Leave out --output.')
  }
  const addTo = async (installation: Installation, output?: NewFile) => {
    const { agent, account, file } = await addAgent(
      {
        name,
        account: options.account,
        publicKey: options.publicKey,
        limits: await limitsOf(options, installation),
        keep: output && ((made) => output.write(`${textOf(made)}\n`)),
        authority: installation.authority,
      },
      {
        ...installation,
        location: identityLocation(options.url, installation.config, 'Create the agent there'),
      },
    )
    const told = `Created the agent ${name}, which logs in as ${account.username}.`
    return { made: agentRecord({ ...agent, account }), file, told }
  }
  if (options.output !== undefined) {
    const { made, told } = await withNewFile(
      options.output,
      { secret: true, otherwise: 'No agent was created.' },
      (output) => context.withInstallation((installation) => addTo(installation, output)),
    )
    return print(context, options, made, `${told} Its agents file is ${options.output}.`)
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
  return {
    permissions: options.permission,
    channels: options.channel,
    packages: options.package && (await resolvePackages(options.package.map(packageReference), installation)),
    storeIds: options.store,
    maxLifetime:
      options.maxLifetime === undefined ? undefined : readDuration('--max-lifetime', options.maxLifetime),
  }
}
