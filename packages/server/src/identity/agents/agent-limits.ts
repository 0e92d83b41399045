/**
 * What the logins of an agent are limited to, whatever the root that it discharges asks for. An agent discharges what it
 * is given: whoever relays their own root to it gets no more than this.
 */
import { isPermission } from '@ratafia/api'
import {
  ATTENUATION_LIMITS,
  type Attenuations,
  formatExtra,
  formatTimeBefore,
  parseExtra,
  UNRESTRICTED,
} from '@ratafia/macaroon/conditions'
import { invalidField, quote } from '../../errors.ts'
import { extraCaveat } from '../../tokens/root-macaroon.ts'

export interface AgentLimits extends Attenuations {
  /** Milliseconds from the login to the end of the session; null means no limit. */
  readonly maxLifetime: number | null
}

export const UNLIMITED: AgentLimits = { ...UNRESTRICTED, maxLifetime: null }

/** An agent whose limits were read. */
export type WithLimits<Agent> = Omit<Agent, 'limits'> & { readonly limits: AgentLimits }

/** The options of a new agent: an absent or empty list means no limit. */
export interface WantedLimits {
  readonly permissions?: readonly string[] | undefined
  readonly channels?: readonly string[] | undefined
  /** Snap ids. */
  readonly packages?: readonly string[] | undefined
  readonly storeIds?: readonly string[] | undefined
  /** Milliseconds. */
  readonly maxLifetime?: number | undefined
}

/** Throws `invalid-field` for what no token can be limited to. */
export function checkLimits(wanted: WantedLimits): AgentLimits {
  const limits: AgentLimits = {
    permissions: checkList('permission', wanted.permissions),
    channels: checkList('channel', wanted.channels),
    packages: checkList('package', wanted.packages),
    storeIds: checkList('store', wanted.storeIds),
    maxLifetime: wanted.maxLifetime ?? null,
  }
  const unknown = limits.permissions?.find((permission) => !isPermission(permission))
  if (unknown !== undefined) {
    throw invalidField(`There is no permission ${quote(unknown)}. docs/tokens.md lists all of them.`, {
      field: 'permission',
    })
  }
  if (extraCaveat(limits) === undefined) {
    throw invalidField('The limits do not fit into a caveat. Give fewer.', { field: 'package' })
  }
  return limits
}

/** The same rules as for the request for a token. */
function checkList(field: string, given: readonly string[] | undefined): readonly string[] | null {
  const items = [...new Set(given)]
  if (items.length === 0) return null
  const { items: most, characters } = ATTENUATION_LIMITS
  if (items.length > most) throw invalidField(`There are more than ${most} of --${field}.`, { field })
  const bad = items.find((item) => item.length > characters || !/^[\x20-\x7e]+$/.test(item))
  if (bad === undefined) return items
  throw invalidField(`--${field} ${quote(bad)} is not 1 to ${characters} printable ASCII characters.`, {
    field,
  })
}

/** The conditions for each discharge that the agent gets; none without limits. */
export function limitConditions({ maxLifetime, ...attenuations }: AgentLimits, now: Date): string[] {
  const limited = Object.values(attenuations).some((list) => list !== null)
  return [
    ...(maxLifetime === null ? [] : [formatTimeBefore(new Date(now.getTime() + maxLifetime))]),
    ...(limited ? [formatExtra(attenuations)] : []),
  ]
}

/** The text that the database keeps; null without limits. */
export function formatLimits({ maxLifetime, ...attenuations }: AgentLimits): string | null {
  if (limitConditions({ maxLifetime, ...attenuations }, new Date(0)).length === 0) return null
  return JSON.stringify({ extra: formatExtra(attenuations).slice('extra '.length), maxLifetime })
}

/** Throws when the text is not one of {@link formatLimits}: the agent then gets no discharge, never a wider one. */
export function parseLimits(text: string | null): AgentLimits {
  if (text === null) return UNLIMITED
  const { extra, maxLifetime }: { extra: unknown; maxLifetime: unknown } = JSON.parse(text)
  const duration = maxLifetime === null || Number.isSafeInteger(maxLifetime)
  if (typeof extra !== 'string' || !duration) throw new Error('the limits of an agent cannot be read')
  return { ...parseExtra(extra), maxLifetime: maxLifetime === null ? null : Number(maxLifetime) }
}
