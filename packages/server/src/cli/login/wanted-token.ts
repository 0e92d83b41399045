/** What the options of `ratafia login` ask for, as the body of `POST /api/v2/tokens`. */
import { hostname } from 'node:os'
import { UsageError } from '../context.ts'
import { packageReference, readInstant } from '../option-values.ts'

export interface WantedOptions {
  readonly permissions?: string
  readonly channels?: string
  readonly packages?: string
  readonly stores?: string
  readonly expires?: string
  readonly ttl?: string
  readonly description?: string
}

/** Throws {@link UsageError}. */
export function wantedToken(options: WantedOptions, now: Date) {
  const { expires, ttl, description = `ratafia@${hostname()}` } = options
  if (expires !== undefined && ttl !== undefined) throw new UsageError('Give either --expires or --ttl.')
  const end =
    readInstant('--expires', expires, { now, direction: 'ahead' }) ??
    readInstant('--ttl', ttl, { now, direction: 'ahead' })
  return {
    description,
    ...listOf('permissions', options.permissions),
    ...listOf('channels', options.channels),
    ...listOf('packages', options.packages, packageReference),
    ...listOf('store_ids', options.stores, undefined, '--stores'),
    ...(end && { expires: end.toISOString() }),
  }
}

/** Of items with commas between; nothing where the option was not given. */
function listOf<Name extends string>(
  name: Name,
  text: string | undefined,
  item: (text: string) => unknown = (one) => one,
  option = `--${name}`,
): Readonly<Record<string, readonly unknown[]>> {
  if (text === undefined) return {}
  const items = text.split(',').map((one) => one.trim())
  if (items.includes('')) throw new UsageError(`${option} has an empty item. Write them with commas between.`)
  return { [name]: items.map(item) }
}
