/** `ratafia allow-list remove`, on the database or at a service. */
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import type { Command } from 'commander'
import type { AllowListEntry } from '../../brands/models/allow-list/allow-list-store.ts'
import { type ModelName, parseModelName, showModelName } from '../../brands/models/model-policy.ts'
import { confirmTyped, withYes, type YesOption } from '../confirm.ts'
import { type CommandContext, UsageError } from '../context.ts'
import type { LocalFile } from '../files/local-file.ts'
import { readTable } from '../files.ts'
import { IMPORT_OPERATIONS } from '../jobs/import-operations.ts'
import { counted, type JsonOption, print, withJson } from '../output.ts'
import { withProgress } from '../progress.ts'
import type { Service } from '../service/service.ts'
import { goes, type WayOptions, withService } from '../service/ways.ts'

interface RemoveOptions extends JsonOption, YesOption, WayOptions {
  readonly model: string
  readonly dryRun?: boolean
  readonly serial?: string
  readonly deviceKeyId?: string
  readonly all?: boolean
}

type Entries = readonly AllowListEntry[] | 'all'

interface Removal {
  readonly dryRun: boolean
  readonly onProgress?: (done: number, total: number) => void
}

interface There {
  readonly model: ModelName
  readonly entries: Entries
  readonly file: string | undefined
}

export function removeAllowedCommand(list: Command, context: CommandContext): void {
  goes(withYes(withJson(list.command('remove [file]'))), 'both', ['removeAllowed', ...IMPORT_OPERATIONS])
    .description('remove the entries in a file, one device, or all; devices keep their serials')
    .requiredOption('--model <brand/model>', 'the model they may no longer register as')
    .option('--serial <number>', 'every entry with this serial number, whatever its key')
    .option('--device-key-id <id>', 'its entry without a serial number; with --serial that one entry')
    .option('--all', 'empty the list; a script gives --yes too')
    .option('--dry-run', 'only say how many entries it would remove')
    .action(async (file: string | undefined, options: RemoveOptions) => {
      const model = parseModelName(options.model)
      const entries = await entriesOf(file, options)
      const { dryRun = false } = options
      const agreed = async (remove: (removal: Removal) => Promise<number>): Promise<number> => {
        if (!dryRun && entries === 'all') {
          await confirmTyped(context, options, async () => {
            const count = await remove({ dryRun: true })
            const told = `All ${counted(count, 'entry', 'entries')} of the allow-list of ${options.model} will be removed: no new device of the model can register until you import others.`
            return { told, type: count }
          })
        }
        return withProgress(context.streams, ['Removing', 'entries'], (onProgress) =>
          remove({ dryRun, onProgress }),
        )
      }
      const removed = await withService(context, options, 'change', (service) =>
        agreed((removal) => removeThere({ ...removal, model, entries, file }, service, context)),
      )
      const told = `${counted(removed, 'entry', 'entries')} ${dryRun ? 'would be ' : ''}removed.`
      print(context, options, dryRun ? { would_remove: removed } : { removed }, told)
    })
}

/** Throws `ServiceRefusal`, and `RequestError` if nothing on the list matches. */
async function removeThere(
  { dryRun, model, entries, file }: Removal & There,
  service: Service,
  { streams }: CommandContext,
): Promise<number> {
  const removed = file === undefined ? await removeNow() : await removeFile(file)
  if (removed > 0) return removed
  const { nothingMatches } = await import('../../brands/models/allow-list/remove-allowed.ts')
  throw nothingMatches(showModelName(model))

  async function removeNow(): Promise<number> {
    const body =
      entries === 'all'
        ? { all: true }
        : { entries: entries.map(({ serial, deviceKeyId }) => ({ serial, device_key_id: deviceKeyId })) }
    const names = { brand: model.brandId, model: model.model }
    const query = { dry_run: dryRun ? true : undefined }
    return Number((await service.call(api.removeAllowed, { names, query, body })).record['removed'])
  }
  async function removeFile(path: string): Promise<number> {
    const { importFileInto } = await import('../jobs/import-file.ts')
    const options = { model: showModelName(model) }
    const format = (local: LocalFile) => local.format()
    const asked = { kind: 'allow-list.remove', files: [path], options, format, dryRun }
    return Number((await importFileInto(service, asked, streams))['removed'])
  }
}

async function entriesOf(
  file: string | undefined,
  { serial, deviceKeyId, all }: RemoveOptions,
): Promise<Entries> {
  const { entryOf, readEntries } = await import('../../brands/models/allow-list/import-allow-list.ts')
  const one = serial !== undefined || deviceKeyId !== undefined
  if ([file !== undefined, one, all === true].filter(Boolean).length !== 1) {
    throw new UsageError('Give a file, or --serial and --device-key-id, or --all.')
  }
  if (all) return 'all'
  if (file === undefined) return [entryOf({ serial, device_key_id: deviceKeyId }, 'the options')]
  const { text, format } = await readTable(file)
  return readEntries(text, format)
}
