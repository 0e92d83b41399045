/**
 * The limits of tokens as given in options or a form: for an agent's logins, for CI rules, and for one's own tokens.
 */
import { isPermission, MAX_ATTENUATION_BYTES } from '@ratafia/api'
import { ATTENUATION_LIMITS, type Attenuations, formatExtra } from '@ratafia/macaroon/conditions'
import { quote } from '../errors.ts'

/** An absent or empty list means no limit. */
export interface WantedAttenuations {
  readonly permissions?: readonly string[] | undefined
  readonly channels?: readonly string[] | undefined
  /** Snap ids. */
  readonly packages?: readonly string[] | undefined
  readonly storeIds?: readonly string[] | undefined
}

export interface LimitProblem {
  /** The option, without its dashes. */
  readonly field: string
  /** A complete sentence. */
  readonly message: string
}

/** The name of each list, as a field and in sentences. */
export type LimitNames = Readonly<
  Record<
    'permission' | 'channel' | 'package' | 'store',
    { readonly field: string; readonly shown: string; readonly many: string }
  >
>

const asOption = (field: string) => ({ field, shown: `--${field}`, many: `--${field} options` })
const OPTION_NAMES: LimitNames = {
  permission: asOption('permission'),
  channel: asOption('channel'),
  package: asOption('package'),
  store: asOption('store'),
}

/** Returns the lists without repetitions, and every reason why a token can't be limited to them. */
export function readLimits(
  wanted: WantedAttenuations,
  names = OPTION_NAMES,
): {
  readonly limits: Attenuations
  readonly problems: readonly LimitProblem[]
} {
  const limits: Attenuations = {
    permissions: listOf(wanted.permissions),
    channels: listOf(wanted.channels),
    packages: listOf(wanted.packages),
    storeIds: listOf(wanted.storeIds),
  }
  const problems = [
    ...listProblems(names.permission, limits.permissions),
    ...listProblems(names.channel, limits.channels),
    ...listProblems(names.package, limits.packages),
    ...listProblems(names.store, limits.storeIds),
    ...unknownPermissions(names.permission, limits.permissions ?? []),
  ]
  // Items that no caveat can contain cannot be measured, so this comes last.
  if (problems.length === 0 && extraCaveat(limits) === undefined) {
    problems.push({ field: names.package.field, message: 'The limits do not fit into a caveat. Use fewer.' })
  }
  return { limits, problems }
}

function listOf(given: readonly string[] | undefined): readonly string[] | null {
  const items = [...new Set(given)]
  return items.length === 0 ? null : items
}

/**
 * Returns the `extra` caveat, or undefined if the limits do not fit into one: each list can be valid and all
 * of them together still have too many bytes.
 */
export function extraCaveat({ channels, packages, permissions, storeIds }: Attenuations): string | undefined {
  const lists = { channels, packages, permissions, storeIds }
  if (Object.values(lists).some((list) => list !== null && list.length > ATTENUATION_LIMITS.items)) {
    return undefined
  }
  const text = formatExtra(lists)
  // The text of a condition is ASCII, and clients present it in JSON, where each quote takes two bytes.
  return JSON.stringify(text).length <= MAX_ATTENUATION_BYTES ? text : undefined
}

/** Whether a caveat can contain this item of a list. */
export const isLimit = (item: string): boolean =>
  item.length <= ATTENUATION_LIMITS.characters && /^[\x20-\x7e]+$/.test(item)

/** Applies the same rules as a request for a token. */
function listProblems(
  { field, shown, many }: LimitNames[keyof LimitNames],
  items: readonly string[] | null,
): readonly LimitProblem[] {
  const { items: most, characters } = ATTENUATION_LIMITS
  if (items === null) return []
  if (items.length > most) return [{ field, message: `There are more than ${most} ${many}.` }]
  const bad = items.find((item) => !isLimit(item))
  if (bad === undefined) return []
  const message = `${shown} ${quote(bad)} is not 1 to ${characters} printable ASCII characters.`
  return [{ field, message }]
}

function unknownPermissions(
  { field }: LimitNames[keyof LimitNames],
  permissions: readonly string[],
): readonly LimitProblem[] {
  const unknown = permissions.find((permission) => !isPermission(permission))
  if (unknown === undefined) return []
  const message = `There is no permission ${quote(unknown)}. docs/tokens.md lists all permissions.`
  return [{ field, message }]
}
