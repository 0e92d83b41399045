/** The devices that a command selects: by name, from a file, or by filters. */
import { systemClock } from '../../clock.ts'
import { type CommandContext, UsageError } from '../context.ts'
import { readGiven, textOfFile } from '../files.ts'
import { type DeviceFilters, filtersIn } from './filter-options.ts'

export interface ChoiceOptions {
  readonly file?: string
  readonly all?: boolean
}

export type Choice =
  | { readonly kind: 'arguments' | 'file'; readonly names: readonly string[] }
  /** The filters may depend on the current time. */
  | { readonly kind: 'filter'; readonly filterAt: (now: Date) => DeviceFilters }

/** Returns the selection; `about` are the default filters. Throws {@link UsageError} unless there is exactly one. */
export async function choiceOf(
  words: readonly string[],
  about: DeviceFilters,
  { file, all, ...options }: ChoiceOptions,
  { streams }: CommandContext,
): Promise<Choice> {
  const given = (now: Date) => filtersIn(options, now)
  const filter = given(systemClock())
  const ways = [words.length > 0, file !== undefined, all === true || Object.keys(filter).length > 0]
  if (ways.filter(Boolean).length !== 1) {
    throw new UsageError('Select devices either by name, or with --file, or with --all or filters.')
  }
  if (words.length === 0 && file === undefined) {
    return { kind: 'filter', filterAt: (now) => ({ ...(filter.status ? {} : about), ...given(now) }) }
  }
  const isInput = file === '-' || (words.length === 1 && words[0] === '-')
  if (words.length > 0 && !isInput) return { kind: 'arguments', names: words }
  const input = await readGiven(file ?? '-', streams)
  const names = await namesIn(input.name, textOfFile(input))
  if (names.length === 0) throw new UsageError(`${input.name} contains no device.`)
  return { kind: 'file', names }
}

/** Reads one name per line; `#` begins a comment. A `.csv` or `.json` file has the ids in its column `id`. */
async function namesIn(name: string, text: string): Promise<readonly string[]> {
  const format = /\.(csv|json)$/i.exec(name)?.[1]?.toLowerCase()
  if (format === 'csv' || format === 'json') {
    const { readImportRows } = await import('../../files/import-rows.ts')
    return readImportRows(text, { format, columns: ['id'], need: 'all' }).map(({ fields, place }) => {
      const { id } = fields
      if (typeof id === 'string' && id !== '') return id
      throw new UsageError(`${name}, ${place}: "id" is not the id of a device.`)
    })
  }
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}
