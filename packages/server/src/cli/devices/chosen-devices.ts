/** Which devices a command is about: named one by one, listed in a file, or all that fit filters. */
import { systemClock } from '../../clock.ts'
import { type CommandContext, UsageError } from '../context.ts'
import { readNamed, readStandardInput, textOfFile } from '../files.ts'
import { type DeviceFilters, filtersIn } from './filter-options.ts'

export interface ChoiceOptions {
  readonly file?: string
  readonly all?: boolean
}

export type Choice =
  | { readonly kind: 'arguments' | 'file'; readonly names: readonly string[] }
  /** What the filters say may depend on the time. */
  | { readonly kind: 'filter'; readonly filterAt: (now: Date) => DeviceFilters }

/** `about`: which devices filters are about. Throws {@link UsageError} unless exactly one way is used. */
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
    throw new UsageError('Name devices, or give --file, or --all or filters: one of these ways.')
  }
  if (words.length === 0 && file === undefined) {
    return { kind: 'filter', filterAt: (now) => ({ ...(filter.status ? {} : about), ...given(now) }) }
  }
  const isInput = file === '-' || (words.length === 1 && words[0] === '-')
  if (words.length > 0 && !isInput) return { kind: 'arguments', names: words }
  const input = isInput
    ? { name: 'Standard input', bytes: await readStandardInput(streams) }
    : await readNamed(file ?? '')
  const names = await namesIn(input.name, textOfFile(input))
  if (names.length === 0) throw new UsageError(`${input.name} names no device.`)
  return { kind: 'file', names }
}

/** One a line; `#` begins a comment. A `.csv` or `.json` has them in its column `id`. */
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
