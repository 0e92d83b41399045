/** What tokens are to be limited to, as an operator's options give it: for the logins of an agent and for rules. */
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
  /** A sentence. */
  readonly message: string
}

/** The lists without repetitions, and everything that keeps a token from being limited to them. */
export function readLimits(wanted: WantedAttenuations): {
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
    ...listProblems('permission', limits.permissions),
    ...listProblems('channel', limits.channels),
    ...listProblems('package', limits.packages),
    ...listProblems('store', limits.storeIds),
    ...unknownPermissions(limits.permissions ?? []),
  ]
  // Text that fits into no caveat cannot be measured.
  if (problems.length === 0 && extraCaveat(limits) === undefined) {
    problems.push({ field: 'package', message: 'The limits do not fit into a caveat. Give fewer.' })
  }
  return { limits, problems }
}

function listOf(given: readonly string[] | undefined): readonly string[] | null {
  const items = [...new Set(given)]
  return items.length === 0 ? null : items
}

/** The `extra` caveat, or undefined if they do not fit into one: several together may have more items, or more bytes. */
export function extraCaveat({ channels, packages, permissions, storeIds }: Attenuations): string | undefined {
  const lists = { channels, packages, permissions, storeIds }
  if (Object.values(lists).some((list) => list !== null && list.length > ATTENUATION_LIMITS.items)) {
    return undefined
  }
  const text = formatExtra(lists)
  // The text of a condition is ASCII, and clients present it in JSON: so quotes count twice.
  return JSON.stringify(text).length <= MAX_ATTENUATION_BYTES ? text : undefined
}

/** Whether an item of a list can stand in a caveat. */
export const isLimit = (item: string): boolean =>
  item.length <= ATTENUATION_LIMITS.characters && /^[\x20-\x7e]+$/.test(item)

/** The same rules as for the request for a token. */
function listProblems(field: string, items: readonly string[] | null): readonly LimitProblem[] {
  const { items: most, characters } = ATTENUATION_LIMITS
  if (items === null) return []
  if (items.length > most) return [{ field, message: `There are more than ${most} of --${field}.` }]
  const bad = items.find((item) => !isLimit(item))
  if (bad === undefined) return []
  const message = `--${field} ${quote(bad)} is not 1 to ${characters} printable ASCII characters.`
  return [{ field, message }]
}

function unknownPermissions(permissions: readonly string[]): readonly LimitProblem[] {
  const unknown = permissions.find((permission) => !isPermission(permission))
  if (unknown === undefined) return []
  const message = `There is no permission ${quote(unknown)}. docs/tokens.md lists all of them.`
  return [{ field: 'permission', message }]
}
