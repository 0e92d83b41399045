/**
 * The command line: `ratafia COMMAND`. Each noun has a file that declares its commands; the code that does
 * the work loads when a command runs.
 */
import { Command } from 'commander'
import { type CommandContext, type CommonOptions, EXIT_HELP, type Streams } from './context.ts'
import { completionCommand } from './help/completion.ts'
import { completeHelp, HELP_STYLE } from './help/help.ts'
import { print, withJson } from './output.ts'
import { completeWays, goes, refuseWrongWay } from './service/ways.ts'
import { hasColour } from './terminal/colour.ts'
import { harmless } from './terminal/harmless.ts'

/**
 * Creates the program without commands. Commander throws its own refusals instead of exiting;
 * `run-program.ts` gives them their exit code.
 */
export function createProgram({ stdout, stderr }: Streams, release: string): Command {
  return new Command('ratafia')
    .description('The authentication half of a snap store: developer tokens and device identity.')
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(harmlessLines(text)),
      // `run-program.ts` reports the error.
      outputError: () => {},
      getOutHelpWidth: () => (stdout.isTTY ? stdout.columns : undefined) ?? 80,
      getErrHelpWidth: () => (stderr.isTTY ? stderr.columns : undefined) ?? 80,
      getOutHasColors: () => hasColour(stdout),
      getErrHasColors: () => hasColour(stderr),
    })
    .version(`ratafia ${release}`, '-v, --version', 'show the version')
    .exitOverride()
    .configureHelp(HELP_STYLE)
    .addHelpText('after', EXIT_HELP)
}

type Add = (program: Command, context: CommandContext) => void

/** The commands in the order of `--help`. A file can have several. */
const COMMANDS: readonly { readonly names: readonly string[]; readonly load: () => Promise<Add> }[] = [
  { names: ['accounts'], load: async () => (await import('./accounts/accounts.ts')).accountCommands },
  {
    names: ['sign-in-link'],
    load: async () => (await import('./accounts/one-time-links.ts')).signInLinkCommand,
  },
  { names: ['agents'], load: async () => (await import('./accounts/agents.ts')).agentCommands },
  { names: ['grants'], load: async () => (await import('./accounts/grants.ts')).grantCommands },
  { names: ['tokens'], load: async () => (await import('./accounts/tokens.ts')).tokenCommands },
  { names: ['issuers'], load: async () => (await import('./ci/issuers.ts')).issuerCommands },
  { names: ['publishers'], load: async () => (await import('./ci/publishers.ts')).publisherCommands },
  {
    names: ['login', 'whoami', 'logout'],
    load: async () => (await import('./login/session-commands.ts')).sessionCommands,
  },
  { names: ['ci'], load: async () => (await import('./ci/job-commands.ts')).ciCommands },
  { names: ['packages'], load: async () => (await import('./accounts/packages.ts')).packageCommands },
  { names: ['keys'], load: async () => (await import('./upkeep/keys.ts')).keyCommands },
  { names: ['secret'], load: async () => (await import('./upkeep/secret.ts')).secretCommands },
  { names: ['trust'], load: async () => (await import('./brands/trust.ts')).trustCommands },
  { names: ['brands'], load: async () => (await import('./brands/brands.ts')).brandCommands },
  {
    names: ['signing-keys'],
    load: async () => (await import('./brands/signing-keys.ts')).signingKeyCommands,
  },
  { names: ['assertions'], load: async () => (await import('./brands/assertions.ts')).assertionCommands },
  { names: ['models'], load: async () => (await import('./brands/models.ts')).modelCommands },
  { names: ['api-keys'], load: async () => (await import('./brands/api-keys.ts')).apiKeyCommands },
  { names: ['allow-list'], load: async () => (await import('./brands/allow-list.ts')).allowListCommands },
  {
    names: ['hardware-identities'],
    load: async () => (await import('./brands/hardware-identities.ts')).hardwareIdentityCommands,
  },
  { names: ['devices'], load: async () => (await import('./devices/devices.ts')).deviceCommands },
  { names: ['clones'], load: async () => (await import('./devices/clones.ts')).cloneCommands },
  { names: ['jobs'], load: async () => (await import('./jobs/jobs.ts')).jobCommands },
  { names: ['import'], load: importCommands },
  { names: ['backup', 'restore'], load: async () => (await import('./upkeep/backup.ts')).backupCommands },
  { names: ['verify'], load: async () => (await import('./upkeep/verify.ts')).verifyCommand },
  { names: ['counters'], load: async () => (await import('./upkeep/counters.ts')).countersCommand },
  { names: ['status'], load: async () => (await import('./upkeep/status.ts')).statusCommand },
  { names: ['audit'], load: async () => (await import('./upkeep/audit.ts')).auditCommands },
]

async function importCommands(): Promise<Add> {
  const { importDatabaseCommand } = await import('./upkeep/backup.ts')
  const { importSerialVaultCommand } = await import('./devices/import-serial-vault.ts')
  return (program, context) => {
    const imports = program.command('import').description('import the data of another service or database')
    importDatabaseCommand(imports, context)
    importSerialVaultCommand(imports, context)
  }
}

/**
 * Adds the commands that work on an installation, and those that do not need one. `first` is the first word
 * of the command line: if `program` or one row of the table knows it, no other row is loaded. That saves a
 * short command a tenth of its time.
 */
export async function addCommands(program: Command, context: CommandContext, first = ''): Promise<void> {
  const isThere = program.commands.some((command) => command.name() === first)
  const own = COMMANDS.filter(({ names }) => names.includes(first))
  const wanted = isThere || own.length > 0 ? own : COMMANDS
  for (const { load } of wanted) (await load())(program, context)
  completionCommand(program, context.streams)

  goes(withJson(program.command('version')), 'none')
    .description('show the version')
    .action((options: CommonOptions) =>
      print(context, options, { release: context.release }, `ratafia ${context.release}`),
    )
  completeWays(program)
  program.hook('preAction', (_program, command) => refuseWrongWay(command, context))
  completeHelp(program)
}

/** Replaces control characters, because Commander repeats its arguments in messages. */
const harmlessLines = (text: string): string => text.split('\n').map(harmless).join('\n')
