/** `ratafia allow-list`: which devices may register, where the policy of a model asks for the list. */
import type { Command } from 'commander'
import { parseModelName } from '../../brands/models/model-policy.ts'
import type { JsonObject } from '../../foreign-json.ts'
import { confirmTyped, withYes, type YesOption } from '../confirm.ts'
import { type CommandContext, UsageError } from '../context.ts'
import { readTable } from '../files.ts'
import { counted, type JsonOption, type ListOption, print, rowsOf, withJson, withList } from '../output.ts'
import { withProgress } from '../progress.ts'
import { printRecords } from '../service/as-row.ts'
import { eitherWay, goes, type WayOptions } from '../service/ways.ts'

const LIST = { method: 'GET', path: '/models/:brand/:model/allow-list' } as const
/** More than anyone reads: an import has as many. */
const MOST = 1_000_000

interface ModelOption extends JsonOption {
  readonly model: string
}

interface RemoveOptions extends ModelOption, YesOption {
  readonly dryRun?: boolean
  readonly serial?: string
  readonly deviceKeyId?: string
  readonly all?: boolean
}

const COLUMNS = ['serial', 'device_key_id']

export function allowListCommands(parent: Command, context: CommandContext): void {
  const list = parent
    .command('allow-list')
    .description('the devices that may register as a model with the allow-list policy')

  withJson(list.command('import <file>'))
    .description('add a .csv file (columns serial, device_key_id, or both) or a .json list of the same')
    .requiredOption('--model <brand/model>', 'the model they may register as')
    .option('--dry-run', 'say what it would add, and change nothing')
    .action(async (file: string, options: ModelOption & { readonly dryRun?: boolean }) => {
      const { importAllowList } = await import('../../brands/models/allow-list/import-allow-list.ts')
      const model = parseModelName(options.model)
      const { text, format } = await readTable(file)
      const { dryRun = false } = options
      const within = dryRun ? context.readInstallation : context.withInstallation
      const imported = await within((installation) =>
        withProgress(context.streams, ['Importing', 'entries'], (onProgress) =>
          importAllowList(text, { model, format, dryRun, onProgress }, installation),
        ),
      )
      const { entries, added } = imported
      const told = `${counted(added, 'entry', 'entries')} ${dryRun ? 'would be ' : ''}added, ${entries - added} already there.`
      print(context, options, dryRun ? { dry_run: true, ...imported } : imported, told)
    })

  withYes(withJson(list.command('remove [file]')))
    .description('remove the entries in a file, one device, or all; devices keep their serials')
    .requiredOption('--model <brand/model>', 'the model they may no longer register as')
    .option('--serial <number>', 'every entry with this serial number, whatever its key')
    .option('--device-key-id <id>', 'its entry without a serial number; with --serial that one entry')
    .option('--all', 'empty the list; a script gives --yes too')
    .option('--dry-run', 'only say how many entries it would remove')
    .action(async (file: string | undefined, options: RemoveOptions) => {
      const { removeAllowed } = await import('../../brands/models/allow-list/remove-allowed.ts')
      const model = parseModelName(options.model)
      const entries = await entriesOf(file, options)
      const { dryRun = false } = options
      const removed = await context.withInstallation(async (installation) => {
        const removal = { model, authority: installation.authority, entries }
        if (!dryRun && entries === 'all') {
          await confirmTyped(context, options, async () => {
            const count = await removeAllowed({ ...removal, dryRun: true }, installation)
            const told = `All ${counted(count, 'entry', 'entries')} of the allow-list of ${options.model} will be removed: no new device of the model can register until you import others.`
            return { told, type: count }
          })
        }
        return withProgress(context.streams, ['Removing', 'entries'], (onProgress) =>
          removeAllowed({ ...removal, dryRun, onProgress }, installation),
        )
      })
      const told = `${counted(removed, 'entry', 'entries')} ${dryRun ? 'would be ' : ''}removed.`
      print(context, options, dryRun ? { would_remove: removed } : { removed }, told)
    })

  goes(withList(list.command('list'), COLUMNS), 'both', ['allowList'])
    .description('list the entries of a model')
    .requiredOption('--model <brand/model>', 'the model they may register as')
    .action(async (options: ModelOption & ListOption & WayOptions) => {
      const model = parseModelName(options.model)
      const records = await eitherWay<readonly JsonObject[]>(context, options, 'read', {
        directly: async (installation) => {
          const { allowListRecord, listAllowed } = await import(
            '../../brands/models/allow-list/list-allowed.ts'
          )
          const { authority } = installation
          return rowsOf(listAllowed({ model, authority }, installation), allowListRecord)
        },
        over: async (service) => {
          const names = { brand: model.brandId, model: model.model }
          return (await service.list(LIST, 'entries', { names, most: MOST })).records
        },
      })
      printRecords(context, options, records, {
        columns: COLUMNS,
        empty: `The allow-list of ${options.model} is empty.`,
      })
    })
}

async function entriesOf(file: string | undefined, { serial, deviceKeyId, all }: RemoveOptions) {
  const { entryOf, readEntries } = await import('../../brands/models/allow-list/import-allow-list.ts')
  const one = serial !== undefined || deviceKeyId !== undefined
  if ([file !== undefined, one, all === true].filter(Boolean).length !== 1) {
    throw new UsageError('Give a file, or --serial and --device-key-id, or --all.')
  }
  if (all) return 'all' as const
  if (file === undefined) return [entryOf({ serial, device_key_id: deviceKeyId }, 'the options')]
  const { text, format } = await readTable(file)
  return readEntries(text, format)
}
