/**
 * The command line: `ratafia COMMAND`. Each noun has a file with the words of its commands; the work loads when it
 * runs.
 */
import { Command } from 'commander'
import { accountCommands } from './accounts/accounts.ts'
import { agentCommands } from './accounts/agents.ts'
import { packageCommands } from './accounts/packages.ts'
import { tokenCommands } from './accounts/tokens.ts'
import { allowListCommands } from './brands/allow-list.ts'
import { apiKeyCommands } from './brands/api-keys.ts'
import { assertionCommands } from './brands/assertions.ts'
import { brandCommands } from './brands/brands.ts'
import { hardwareIdentityCommands } from './brands/hardware-identities.ts'
import { modelCommands } from './brands/models.ts'
import { signingKeyCommands } from './brands/signing-keys.ts'
import { trustCommands } from './brands/trust.ts'
import { type CommandContext, EXIT_HELP, type Streams } from './context.ts'
import { deviceCommands } from './devices/devices.ts'
import { importSerialVaultCommand } from './devices/import-serial-vault.ts'
import { completionCommand } from './help/completion.ts'
import { completeHelp, HELP_STYLE } from './help/help.ts'
import { harmless, type JsonOption, print, withJson } from './output.ts'
import { hasColour } from './terminal/colour.ts'
import { auditCommands } from './upkeep/audit.ts'
import { backupCommands, importDatabaseCommand } from './upkeep/backup.ts'
import { keyCommands } from './upkeep/keys.ts'
import { secretCommands } from './upkeep/secret.ts'
import { statusCommand } from './upkeep/status.ts'
import { verifyCommand } from './upkeep/verify.ts'

/**
 * Without any command. Commander's own refusals are thrown, not exited on: `run-program.ts` gives them their exit code.
 */
export function createProgram({ stdout, stderr }: Streams, release: string): Command {
  return new Command('ratafia')
    .description('The authentication half of a snap store: developer tokens and device identity.')
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(harmlessLines(text)),
      getOutHelpWidth: () => (stdout.isTTY ? stdout.columns : undefined) ?? 80,
      getErrHelpWidth: () => (stderr.isTTY ? stderr.columns : undefined) ?? 80,
      getOutHasColors: () => hasColour(stdout),
      getErrHasColors: () => hasColour(stderr),
    })
    .version(`ratafia ${release}`, '-V, --version', 'show the release of this program')
    .exitOverride()
    .showHelpAfterError('(--help shows what it takes)')
    .configureHelp(HELP_STYLE)
    .addHelpText('after', EXIT_HELP)
}

/** The commands that work on an installation, and those that need none. */
export function addCommands(program: Command, context: CommandContext): void {
  accountCommands(program, context)
  agentCommands(program, context)
  tokenCommands(program, context)
  packageCommands(program, context)
  keyCommands(program, context)
  secretCommands(program, context)
  trustCommands(program, context)
  brandCommands(program, context)
  signingKeyCommands(program, context)
  assertionCommands(program, context)
  modelCommands(program, context)
  apiKeyCommands(program, context)
  allowListCommands(program, context)
  hardwareIdentityCommands(program, context)
  deviceCommands(program, context)
  const imports = program.command('import').description('import the data of another service or database')
  importDatabaseCommand(imports, context)
  importSerialVaultCommand(imports, context)
  backupCommands(program, context)
  verifyCommand(program, context)
  statusCommand(program, context)
  auditCommands(program, context)
  completionCommand(program, context.streams)

  withJson(program.command('version'))
    .description('show the release of this program')
    .action((options: JsonOption) =>
      print(context, options, { release: context.release }, `ratafia ${context.release}`),
    )
  completeHelp(program)
}

/** Commander repeats what was typed. */
const harmlessLines = (text: string): string => text.split('\n').map(harmless).join('\n')
