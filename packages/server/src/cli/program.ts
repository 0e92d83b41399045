/** `ratafia COMMAND`: each noun has a file that declares its commands. Their code loads when a command runs. */
import { Command } from 'commander'
import { type CommandContext, type CommonOptions, EXIT_HELP, type Streams } from './context.ts'
import { completionCommand } from './help/completion.ts'
import { completeHelp, HELP_STYLE } from './help/help.ts'
import { print, withJson } from './output.ts'
import { completeWays, goes, refuseWrongWay } from './service/ways.ts'
import { hasColour } from './terminal/colour.ts'
import { harmless } from './terminal/harmless.ts'

/** Creates the program without commands. It throws Commander's refusals, to which `run-program.ts` gives exit codes. */
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
    .version(`ratafia ${release}`, '-v, --version', 'show the version; with --json, also what it runs on')
    .exitOverride()
    .configureHelp(HELP_STYLE)
    .addHelpText('after', EXIT_HELP)
}

const NO_LICENCES =
  'Ratafia is licensed under the Apache License 2.0. This installation keeps its packages in node_modules, each with its own licence; docs/licences.md lists them.'

type Add = (program: Command, context: CommandContext) => void

/** The first words of commands, in the order of `--help`, and the file that declares them. */
const COMMANDS: readonly (readonly [words: string, load: () => Promise<Add>])[] = [
  ['accounts', async () => (await import('./accounts/accounts.ts')).accountCommands],
  ['setup-link', async () => (await import('./accounts/setup-link.ts')).setupLinkCommand],
  ['sign-in-link', async () => (await import('./accounts/one-time-links.ts')).signInLinkCommand],
  ['agents', async () => (await import('./accounts/agents.ts')).agentCommands],
  ['grants', async () => (await import('./accounts/grants.ts')).grantCommands],
  ['tokens', async () => (await import('./accounts/tokens.ts')).tokenCommands],
  ['issuers', async () => (await import('./ci/issuers.ts')).issuerCommands],
  ['publishers', async () => (await import('./ci/publishers.ts')).publisherCommands],
  ['login whoami logout', async () => (await import('./login/session-commands.ts')).sessionCommands],
  ['ci', async () => (await import('./ci/job-commands.ts')).ciCommands],
  ['packages', async () => (await import('./accounts/packages.ts')).packageCommands],
  ['keys', async () => (await import('./upkeep/keys.ts')).keyCommands],
  ['secret', async () => (await import('./upkeep/secret.ts')).secretCommands],
  ['trust', async () => (await import('./brands/trust.ts')).trustCommands],
  ['brands', async () => (await import('./brands/brands.ts')).brandCommands],
  ['signing-keys', async () => (await import('./brands/signing-keys.ts')).signingKeyCommands],
  ['assertions', async () => (await import('./brands/assertions.ts')).assertionCommands],
  ['models', async () => (await import('./brands/models.ts')).modelCommands],
  ['api-keys', async () => (await import('./brands/api-keys.ts')).apiKeyCommands],
  ['allow-list', async () => (await import('./brands/allow-list.ts')).allowListCommands],
  [
    'hardware-identities',
    async () => (await import('./brands/hardware-identities.ts')).hardwareIdentityCommands,
  ],
  ['devices', async () => (await import('./devices/devices.ts')).deviceCommands],
  ['clones', async () => (await import('./devices/clones.ts')).cloneCommands],
  ['jobs', async () => (await import('./jobs/jobs.ts')).jobCommands],
  ['import', importCommands],
  ['backup restore', async () => (await import('./upkeep/backup.ts')).backupCommands],
  ['verify', async () => (await import('./upkeep/verify.ts')).verifyCommand],
  ['counters', async () => (await import('./upkeep/counters.ts')).countersCommand],
  ['status', async () => (await import('./upkeep/status.ts')).statusCommand],
  ['audit', async () => (await import('./upkeep/audit.ts')).auditCommands],
  ['release', async () => (await import('./upkeep/release.ts')).releaseCommands],
  ['demo', async () => (await import('./demo/demo.ts')).demoCommands],
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
  const own = COMMANDS.filter(([words]) => words.split(' ').includes(first))
  const wanted = isThere || own.length > 0 ? own : COMMANDS
  for (const [, load] of wanted) (await load())(program, context)
  completionCommand(program, context.streams)

  goes(withJson(program.command('version')), 'none')
    .description('show the version')
    .action(async (options: CommonOptions) => {
      const facts = options.json ? await context.versionFacts() : undefined
      print(context, options, facts, `ratafia ${context.release}`)
    })
  goes(program.command('licences').alias('licenses'), 'none')
    .description('print the licences of the software inside the one-file program')
    .action(async () => print(context, {}, undefined, (await context.licenceTexts()) ?? NO_LICENCES))
  completeWays(program)
  program.hook('preAction', (_program, command) => refuseWrongWay(command, context))
  completeHelp(program)
}

/** Replaces control characters, because Commander repeats its arguments in messages. */
const harmlessLines = (text: string): string => text.split('\n').map(harmless).join('\n')
