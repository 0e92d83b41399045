/** `ratafia allow-list remove`. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import { type ModelName, parseModelName, showModelName } from '../../brands/models/model-policy.ts'
import type { JsonObject } from '../../foreign-json.ts'
import { confirmTyped, withYes } from '../confirm.ts'
import { type CommandContext, type CommonOptions, UsageError } from '../context.ts'
import { type LocalFile, withLocalFile } from '../files/local-file.ts'
import { IMPORT_OPERATIONS } from '../jobs/import-operations.ts'
import { counted, print, withJson } from '../output.ts'
import type { Service } from '../service/service.ts'
import { goes, withService } from '../service/ways.ts'
import { parametersOf } from './model-parameters.ts'

interface RemoveOptions extends CommonOptions {
  readonly model: string
  readonly dryRun?: boolean
  readonly serial?: string
  readonly deviceKeyId?: string
  readonly all?: boolean
}

export function removeAllowedCommand(list: Command, context: CommandContext): void {
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
    .action(async (file: string | undefined, options: RemoveOptions) => {
      const model = parseModelName(options.model)
      const { dryRun = false } = options
      const named = await namedIn(file, options)
      const removed = await withFile(file, context, options, async (service, local) => {
        if (local) return removeFile(local, model, dryRun, service, context)
        if (options.all && !dryRun) {
          await confirmTyped(context, options, async () => {
            const count = await removeNamed(named, model, true, service)
            const told = `This removes all ${counted(count, 'entry', 'entries')} of the allow-list of ${options.model}. New devices cannot register as this model until you import entries again.`
            return { told, type: count }
          })
        }
        return removeNamed(named, model, dryRun, service)
      })
      const told = `${counted(removed, 'entry', 'entries')} ${dryRun ? 'would be ' : ''}removed.`
      print(context, options, dryRun ? { would_remove: removed } : { removed }, told)
    })
}

/** Reads the file before it opens the service or the database. */
const withFile = <T>(
  file: string | undefined,
  context: CommandContext,
  options: CommonOptions,
  work: (service: Service, local?: LocalFile) => Promise<T>,
): Promise<T> =>
  file === undefined
    ? withService(context, options, 'change', (service) => work(service))
    : withLocalFile(file, (local) =>
        withService(context, options, 'change', (service) => work(service, local)),
      )

/** Removes entries and returns how many. Throws `ServiceRefusal`, and `RequestError` if nothing on the list matches. */
async function removeNamed(
  body: object,
  model: ModelName,
  dryRun: boolean,
  service: Service,
): Promise<number> {
  const query = dryRun ? { dry_run: true } : {}
  return some(
    (await service.call(api.removeAllowed, { names: parametersOf(model), query, body })).record,
    model,
  )
}

/** Removes the entries in a file. Throws as {@link removeNamed} does, and `ImportError` with the errors in the file. */
async function removeFile(
  file: LocalFile,
  model: ModelName,
  dryRun: boolean,
  service: Service,
  { streams }: CommandContext,
): Promise<number> {
  const { importFileInto } = await import('../jobs/import-file.ts')
  const options = { format: await file.format(), model: showModelName(model) }
  const asked = { kind: 'allow-list.remove', files: [file], options, dryRun }
  return some(await importFileInto(service, asked, streams), model)
}

async function some(counts: JsonObject, model: ModelName): Promise<number> {
  const removed = Number(counts['removed'])
  if (removed > 0) return removed
  const { nothingMatches } = await import('../../brands/models/allow-list/remove-allowed.ts')
  throw nothingMatches(showModelName(model))
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
  const { allowListRecord } = await import('../../brands/models/allow-list/list-allowed.ts')
  const { entryOf } = await import('../../brands/models/allow-list/import-allow-list.ts')
  return { entries: [allowListRecord(entryOf({ serial, device_key_id: deviceKeyId }, 'the options'))] }
}
