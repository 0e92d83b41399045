/** The commands `ratafia serve`, `identity serve` and `migrate`. Each loads its code when it runs. */
import type { Command } from 'commander'
import { describeDatabase } from '../cli/announcement.ts'
import type { CommonOptions } from '../cli/context.ts'
import { readCount } from '../cli/option-values.ts'
import { print, withJson } from '../cli/output.ts'
import { goes } from '../cli/service/ways.ts'
import { serviceAddress } from '../config/config.ts'
import { IDENTITY_PORT } from '../config/variables/serving.ts'
import { variablesHelp } from '../config/variables.ts'
import { type ServeContext, serve } from './serve.ts'
import { commandSettings, madeNote, serviceSettings } from './settings.ts'

export function serveCommands(program: Command, context: ServeContext): void {
  const { environment, streams } = context
  program
    .command('serve')
    .description('run the service; SIGTERM or SIGINT stops it once the requests in flight are answered')
    .addHelpText('after', variablesHelp)
    .action(() => serve(context))

  goes(program.command('health'), 'none')
    .description(
      'check whether the service of this host is ready, at the address of RATAFIA_HOST and RATAFIA_PORT; exit code 0 or 1',
    )
    .action(async () => (await import('../cli/upkeep/health.ts')).checkHealth(environment, streams))

  configCommands(program, context)

  withJson(program.command('migrate'))
    .description('bring the database up to date; `serve` also does this when it starts')
    .option('--plan', 'show the statements that would run, without running them')
    .option(
      '--partitions <number>',
      `in a new PostgreSQL database, divide the tables of devices into 2 to ${MOST_PARTITIONS} partitions; see docs/scaling.md`,
    )
    .action((options: MigrateOptions) => migrate(options, context))

  program
    .command('identity')
    .description('run the identity service on its own')
    .command('serve')
    .description(`run only the identity service, on port ${IDENTITY_PORT} unless RATAFIA_PORT is set`)
    .addHelpText('after', variablesHelp)
    .action(() => serve(context, { identityOnly: true }))
}

function configCommands(program: Command, { environment, streams }: ServeContext): void {
  withJson(
    program.command('config').description('check the configuration in the environment').command('check'),
  )
    .description(
      'check the configuration as `serve` would, without creating anything; exit code 4 if something is wrong',
    )
    .option('--connect', 'also connect to the database, and open its sealed keys')
    .action(async (options: CommonOptions & { readonly connect?: boolean }) => {
      const { checkConfig } = await import('./check-config.ts')
      const { databaseIsMissing } = await import('./open-database.ts')
      const settings = commandSettings(environment, streams)
      await checkConfig(settings, options.connect === true)
      const { config } = settings
      const address = serviceAddress(config)
      const exists = config.database.kind === 'sqlite' ? !databaseIsMissing(config) : null
      const connected = options.connect === true
      const document = { valid: true, address, connected, database_exists: connected || exists }
      const database = describeDatabase(config.database)
      const looked = connected
        ? `${database}: it answers, and its keys can be opened`
        : exists === false
          ? `${database}: it does not exist yet, and \`ratafia serve\` or \`ratafia migrate\` creates it`
          : undefined
      const checked =
        looked === undefined
          ? `The database (${database}) was not checked; pass --connect.`
          : `Database: ${looked}.`
      const told = `The settings are valid. ${checked} Clients reach the service at ${address}.`
      print({ streams }, options, document, told)
    })
}

interface MigrateOptions extends CommonOptions {
  readonly plan?: boolean
  readonly partitions?: string
}

/** Limited, because every statement takes some time for each partition. */
const MOST_PARTITIONS = 256

const readPartitions = ({ partitions }: MigrateOptions): number =>
  partitions === undefined ? 0 : readCount('--partitions', partitions, MOST_PARTITIONS, 2)

async function migrate(options: MigrateOptions, { environment, streams }: ServeContext): Promise<void> {
  const { planSchema, updateSchema } = await import('./migrate.ts')
  const partitions = readPartitions(options)
  const settings = await serviceSettings(environment, streams)
  if (!options.plan) {
    const ran = await updateSchema({ ...settings, onMade: madeNote(streams) }, partitions)
    const human = ran.length === 0 ? 'The database is up to date.' : `Ran ${ran.join(', ')}.`
    print({ streams }, options, { ran }, human)
    return
  }
  const missing = await planSchema(settings, partitions)
  // SQL for the operator to review.
  const human = missing.flatMap(({ name, contracts, statements }) => [
    `-- ${name}${contracts ? ': stop every node of an older release first' : ''}`,
    ...statements.map((statement) => `${statement};`),
  ])
  print({ streams }, options, { missing }, human.join('\n') || 'The database is up to date.')
}
