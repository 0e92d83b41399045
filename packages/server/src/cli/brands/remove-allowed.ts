/** `ratafia allow-list remove`, on the database or at a service. */
import type { Command } from 'commander'
import type { AllowListEntry } from '../../brands/models/allow-list/allow-list-store.ts'
import { type ModelName, parseModelName, showModelName } from '../../brands/models/model-policy.ts'
import type { JsonObject } from '../../foreign-json.ts'
import { confirmTyped, withYes, type YesOption } from '../confirm.ts'
import { type CommandContext, UsageError } from '../context.ts'
import { readTable } from '../files.ts'
import { counted, type JsonOption, print, withJson } from '../output.ts'
import { withProgress } from '../progress.ts'
import type { Service } from '../service/service.ts'
import { eitherWay, goes, type WayOptions } from '../service/ways.ts'

const REMOVE = { method: 'POST', path: '/models/:brand/:model/allow-list/remove' } as const
/** Of one request: entries, and bytes of their JSON, a little below what a service takes. */
const MOST = { entries: 1000, bytes: 60_000 }

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

export function removeAllowedCommand(list: Command, context: CommandContext): void {
  goes(withYes(withJson(list.command('remove [file]'))), 'both', ['removeAllowed'])
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
      const removed = await eitherWay(context, options, 'change', {
        directly: async (installation) => {
          const { removeAllowed } = await import('../../brands/models/allow-list/remove-allowed.ts')
          const { authority } = installation
          return agreed((removal) => removeAllowed({ ...removal, model, authority, entries }, installation))
        },
        over: (service) => agreed((removal) => removeThere({ ...removal, model, entries }, service)),
      })
      const told = `${counted(removed, 'entry', 'entries')} ${dryRun ? 'would be ' : ''}removed.`
      print(context, options, dryRun ? { would_remove: removed } : { removed }, told)
    })
}

/**
 * A part of a long list in each request, so one that breaks off has removed some; whoever repeats it removes the rest.
 * Throws `ServiceRefusal`, and `RequestError` if nothing on the list matches.
 */
async function removeThere(
  { dryRun, model, entries, onProgress }: Removal & { readonly model: ModelName; readonly entries: Entries },
  service: Service,
): Promise<number> {
  const names = { brand: model.brandId, model: model.model }
  const query = { dry_run: dryRun ? true : undefined }
  const send = async (body: object): Promise<number> =>
    Number((await service.call(REMOVE, { names, query, body })).record['removed'])
  let removed = 0
  if (entries === 'all') removed = await send({ all: true })
  else {
    let done = 0
    for (const part of partsOf(entries)) {
      removed += await send({ entries: part })
      done += part.length
      onProgress?.(done, entries.length)
    }
  }
  if (removed > 0) return removed
  const { nothingMatches } = await import('../../brands/models/allow-list/remove-allowed.ts')
  throw nothingMatches(showModelName(model))
}

/** Nothing is counted twice, not even in a dry run: a serial number alone stands for each of its entries. */
function* partsOf(entries: readonly AllowListEntry[]): Generator<readonly JsonObject[]> {
  const alone = new Set(entries.filter(({ deviceKeyId }) => deviceKeyId === null).map(({ serial }) => serial))
  let part: JsonObject[] = []
  let bytes = 0
  for (const { serial, deviceKeyId } of entries) {
    if (serial !== null && deviceKeyId !== null && alone.has(serial)) continue
    const entry = { serial, device_key_id: deviceKeyId }
    const size = Buffer.byteLength(JSON.stringify(entry)) + 1
    if (part.length === MOST.entries || bytes + size > MOST.bytes) {
      yield part
      part = []
      bytes = 0
    }
    part.push(entry)
    bytes += size
  }
  if (part.length > 0) yield part
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
