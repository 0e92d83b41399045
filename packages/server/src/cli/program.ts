/** The command line: `ratafia COMMAND`. Each folder of the service has its commands in a file of its name. */
import { Command } from 'commander'
import { variablesHelp } from '../config/variables-help.ts'
import { accountCommands } from './accounts/accounts.ts'
import { agentCommands } from './accounts/agents.ts'
import { packageCommands } from './accounts/packages.ts'
import { tokenCommands } from './accounts/tokens.ts'
import { allowListCommands } from './brands/allow-list.ts'
import { apiKeyCommands } from './brands/api-keys.ts'
import { brandCommands } from './brands/brands.ts'
import { hardwareIdentityCommands } from './brands/hardware-identities.ts'
import { modelCommands } from './brands/models.ts'
import { signingKeyCommands } from './brands/signing-keys.ts'
import { trustCommands } from './brands/trust.ts'
import { type CommandContext, EXIT_HELP } from './context.ts'
import { deviceCommands } from './devices/devices.ts'
import { importCommands } from './devices/import-serial-vault.ts'
import { harmless, type JsonOption, print, withJson } from './output.ts'
import { auditCommands } from './upkeep/audit.ts'
import { backupCommands } from './upkeep/backup.ts'
import { keyCommands } from './upkeep/keys.ts'
import { secretCommands } from './upkeep/secret.ts'

/** Commander's own refusals are thrown, not exited on: `run-program.ts` gives them their exit code. */
export function createProgram(context: CommandContext): Command {
  const { stdout, stderr } = context.streams
  const program = new Command('ratafia')
    .description('The authentication half of a snap store: developer tokens and device identity.')
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(harmlessLines(text)),
    })
    .version(`ratafia ${context.release}`, '-V, --version', 'the release of this program')
    .exitOverride()
    .showHelpAfterError('(--help shows what it takes)')
    // Of every command, not only of this one.
    .addHelpText('afterAll', EXIT_HELP)

  program
    .command('serve')
    .description('run the service; SIGTERM or SIGINT ends it when what is in flight is finished')
    .addHelpText('after', variablesHelp())
    .action(() => context.serve())

  withJson(program.command('migrate'))
    .description('bring the database up to date; `serve` does so too when it starts')
    .option('--plan', 'show the statements that are missing, and run none')
    .action(async (options: JsonOption & { readonly plan?: boolean }) => {
      if (options.plan) return showPlan(context, options)
      const ran = await context.migrate()
      const human = ran.length === 0 ? 'The database is up to date.' : `Ran ${ran.join(', ')}.`
      print(context, options, { ran }, human)
    })

  program
    .command('identity')
    .description('the identity service on its own')
    .command('serve')
    .description('run only the identity service, on port 8081 unless RATAFIA_PORT says otherwise')
    .addHelpText('after', variablesHelp())
    .action(() => context.serveIdentity())

  accountCommands(program, context)
  agentCommands(program, context)
  tokenCommands(program, context)
  packageCommands(program, context)
  keyCommands(program, context)
  secretCommands(program, context)
  trustCommands(program, context)
  brandCommands(program, context)
  signingKeyCommands(program, context)
  modelCommands(program, context)
  apiKeyCommands(program, context)
  allowListCommands(program, context)
  hardwareIdentityCommands(program, context)
  deviceCommands(program, context)
  importCommands(program, context)
  backupCommands(program, context)

  auditCommands(program, context)

  withJson(program.command('version'))
    .description('the release of this program')
    .action((options: JsonOption) =>
      print(context, options, { release: context.release }, `ratafia ${context.release}`),
    )
  return program
}

/** As SQL, for whoever has to agree to it. */
async function showPlan(context: CommandContext, options: JsonOption): Promise<void> {
  const missing = await context.planMigrations()
  const human = missing.flatMap(({ name, contracts, statements }) => [
    `-- ${name}${contracts ? ': end every node of an older release first' : ''}`,
    ...statements.map((statement) => `${statement};`),
  ])
  print(context, options, { missing }, human.join('\n') || 'The database is up to date.')
}

/** Commander repeats what was typed. */
const harmlessLines = (text: string): string => text.split('\n').map(harmless).join('\n')
