/** `ratafia allow-list`: the devices that can register as a model whose policy requires the list. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { confirmTyped, withYes } from '../confirm.ts'
import { type CommandContext, type CommonOptions, UsageError } from '../context.ts'
import { type LocalFile, withLocalFile } from '../files/local-file.ts'
import { IMPORT_OPERATIONS } from '../jobs/follow-job.ts'
import { counted, note, print, withJson, withList } from '../output.ts'
import { listRecords } from '../service/records.ts'
import type { Service } from '../service/service.ts'
import { goes, withService } from '../service/ways.ts'
import { modelParameters } from './policy-options.ts'

/** The maximum number of entries in an import. */
const MOST = 1_000_000
const COLUMNS = ['serial', 'device_key_id']

interface ModelOptions extends CommonOptions {
  readonly model: string
}

interface ChangeOptions extends ModelOptions {
  readonly dryRun?: boolean
}

interface RemoveOptions extends ChangeOptions {
  readonly serial?: string
  readonly deviceKeyId?: string
  readonly all?: boolean
}

export function allowListCommands(parent: Command, context: CommandContext): void {
  const list = parent
    .command('allow-list')
    .description('manage the allow-list of a model: the devices that can register with that policy')

  goes(withJson(list.command('import <file>')), 'both', [...IMPORT_OPERATIONS, 'model'])
    .description('add entries from a .csv file (columns serial, device_key_id, or both) or a .json list')
    .requiredOption('--model <brand/model>', 'the model that the devices can register as')
    .option('--dry-run', 'show what the import would add, and change nothing')
    .action((file: string, options: ChangeOptions) => importFrom(file, options, context))

  goes(withYes(withJson(list.command('remove [file]'))), 'both', ['removeAllowed', ...IMPORT_OPERATIONS])
    .description('remove the entries in a file, one device, or all entries; devices keep their serials')
    .requiredOption('--model <brand/model>', 'the model of the list')
    .option('--serial <number>', 'remove every entry with this serial number, with any key')
    .option(
      '--device-key-id <id>',
      'remove the entry of this key without a serial number; with --serial, the entry with both',
    )
    .option('--all', 'remove all entries; scripts must also pass --yes')
    .option('--dry-run', 'show how many entries the command would remove, and change nothing')
    .action((file: string | undefined, options: RemoveOptions) => remove(file, options, context))

  goes(withList(list.command('list'), COLUMNS), 'both', ['allowList'])
    .description('list the entries of a model')
    .requiredOption('--model <brand/model>', 'the model of the list')
    .action(({ model, ...options }: ModelOptions) =>
      listRecords(context, options, {
        ...{ operation: api.allowList, name: 'entries', most: MOST, columns: COLUMNS },
        asking: { names: modelParameters(model) },
        empty: `The allow-list of ${model} is empty.`,
      }),
    )
}

async function importFrom(
  file: string,
  { model, dryRun = false, ...options }: ChangeOptions,
  context: CommandContext,
): Promise<void> {
  const names = modelParameters(model)
  const { importFileInto } = await import('../jobs/import-file.ts')
  await withLocalFile(file, context.streams, async (local) => {
    const wanted = { format: await local.format(), model }
    const asked = { kind: 'allow-list.import', files: [local], options: wanted, dryRun }
    await withService(context, options, 'change', async (service) => {
      const { registration } = await service.recordOf(api.model, { names })
      const counts = await importFileInto(service, asked, context.streams)
      const imported = { entries: Number(counts['entries']), added: Number(counts['added']) }
      const { entries, added } = imported
      const told = `${counted(added, 'entry', 'entries')} ${dryRun ? 'would be ' : ''}added; ${entries - added} already on the list.`
      print(context, options, dryRun ? { dry_run: true, ...imported } : imported, told)
      if (registration === 'allow-list') return
      note(
        context.streams,
        `${model} ignores its allow-list, because its registration policy is "${registration}". To use the list, run \`ratafia models set-policy ${model} --registration allow-list\`.`,
      )
    })
  })
}

async function remove(file: string | undefined, options: RemoveOptions, context: CommandContext) {
  const { model, dryRun = false } = options
  const names = modelParameters(model)
  const body = await namedIn(file, options)
  const removeNamed = async (service: Service, isDry: boolean): Promise<number> => {
    const query = isDry ? { dry_run: true } : {}
    const { removed } = await service.recordOf(api.removeAllowed, { names, query, body })
    return requireSome(Number(removed), model)
  }
  const removeFile = async (local: LocalFile, service: Service): Promise<number> => {
    const { importFileInto } = await import('../jobs/import-file.ts')
    const wanted = { format: await local.format(), model }
    const asked = { kind: 'allow-list.remove', files: [local], options: wanted, dryRun }
    const { removed } = await importFileInto(service, asked, context.streams)
    return requireSome(Number(removed), model)
  }
  const removeAsked = async (service: Service): Promise<number> => {
    if (options.all && !dryRun) {
      await confirmTyped(context, options, async () => {
        const count = await removeNamed(service, true)
        const told = `This removes all ${counted(count, 'entry', 'entries')} of the allow-list of ${model}. New devices cannot register as this model until you import entries again.`
        return { told, type: count }
      })
    }
    return removeNamed(service, dryRun)
  }
  const change = (work: (service: Service) => Promise<number>) =>
    withService(context, options, 'change', work)
  // Reads the file before it opens the service or the database.
  const removed = await (file === undefined
    ? change(removeAsked)
    : withLocalFile(file, context.streams, (local) => change((service) => removeFile(local, service))))
  const told = `${counted(removed, 'entry', 'entries')} ${dryRun ? 'would be ' : ''}removed.`
  print(context, options, dryRun ? { would_remove: removed } : { removed }, told)
}

/** Throws `RequestError` if nothing on the list matches. */
async function requireSome(removed: number, model: string): Promise<number> {
  if (removed > 0) return removed
  const { nothingMatches } = await import('../../brands/models/allow-list/remove-allowed.ts')
  throw nothingMatches(model)
}

/** Returns the selection for the API; empty with a file. Throws {@link UsageError} unless there is exactly one. */
async function namedIn(
  file: string | undefined,
  { serial, deviceKeyId, all }: RemoveOptions,
): Promise<object> {
  const one = serial !== undefined || deviceKeyId !== undefined
  if ([file !== undefined, one, all === true].filter(Boolean).length !== 1) {
    throw new UsageError('Pass either a file, or --serial and --device-key-id, or --all.')
  }
  if (all) return { all: true }
  if (!one) return {}
  const { allowListRecord } = await import('../../brands/models/allow-list/remove-allowed.ts')
  const { entryOf } = await import('../../brands/models/allow-list/import-allow-list.ts')
  return { entries: [allowListRecord(entryOf({ serial, device_key_id: deviceKeyId }, 'the options'))] }
}
