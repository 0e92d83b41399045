/** `ratafia allow-list`: the devices that can register as a model whose policy requires the list. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { parseModelName } from '../../brands/models/model-policy.ts'
import type { CommandContext, CommonOptions } from '../context.ts'
import { withLocalFile } from '../files/local-file.ts'
import { IMPORT_OPERATIONS } from '../jobs/import-operations.ts'
import { counted, note, print, withJson, withList } from '../output.ts'
import { listRecords } from '../service/as-row.ts'
import { goes, withService } from '../service/ways.ts'
import { parametersOf } from './model-parameters.ts'
import { removeAllowedCommand } from './remove-allowed.ts'

/** The maximum number of entries in an import. */
const MOST = 1_000_000

interface ModelOption extends CommonOptions {
  readonly model: string
}

const COLUMNS = ['serial', 'device_key_id']

function tell(
  imported: { readonly entries: number; readonly added: number },
  options: CommonOptions & { readonly dryRun?: boolean },
  context: CommandContext,
): void {
  const { dryRun } = options
  const { entries, added } = imported
  const told = `${counted(added, 'entry', 'entries')} ${dryRun ? 'would be ' : ''}added; ${entries - added} already on the list.`
  print(context, options, dryRun ? { dry_run: true, ...imported } : imported, told)
}

/** Prints a note if the model's `registration` policy ignores the list. */
function noteIfIgnored(registration: unknown, { model }: ModelOption, { streams }: CommandContext): void {
  if (registration === 'allow-list') return
  note(
    streams,
    `${model} ignores its allow-list, because its registration policy is "${registration}". To use the list, run \`ratafia models set-policy ${model} --registration allow-list\`.`,
  )
}

export function allowListCommands(parent: Command, context: CommandContext): void {
  const list = parent
    .command('allow-list')
    .description('manage the allow-list of a model: the devices that can register with that policy')

  goes(withJson(list.command('import <file>')), 'both', [...IMPORT_OPERATIONS, 'model'])
    .description('add entries from a .csv file (columns serial, device_key_id, or both) or a .json list')
    .requiredOption('--model <brand/model>', 'the model that the devices can register as')
    .option('--dry-run', 'show what the import would add, and change nothing')
    .action(async (file: string, options: ModelOption & CommonOptions & { readonly dryRun?: boolean }) => {
      const model = parseModelName(options.model)
      const { dryRun = false } = options
      const { importFileInto } = await import('../jobs/import-file.ts')
      await withLocalFile(file, async (local) => {
        const wanted = { format: await local.format(), model: options.model }
        const asked = { kind: 'allow-list.import', files: [local], options: wanted, dryRun }
        await withService(context, options, 'change', async (service) => {
          const { record } = await service.call(api.model, { names: parametersOf(model) })
          const { entries, added } = await importFileInto(service, asked, context.streams)
          tell({ entries: Number(entries), added: Number(added) }, options, context)
          noteIfIgnored(record['registration'], options, context)
        })
      })
    })

  removeAllowedCommand(list, context)

  goes(withList(list.command('list'), COLUMNS), 'both', ['allowList'])
    .description('list the entries of a model')
    .requiredOption('--model <brand/model>', 'the model of the list')
    .action(({ model, ...options }: ModelOption & CommonOptions) =>
      listRecords(context, options, {
        ...{ operation: api.allowList, name: 'entries', most: MOST, columns: COLUMNS },
        asking: { names: parametersOf(parseModelName(model)) },
        empty: `The allow-list of ${model} is empty.`,
      }),
    )
}
