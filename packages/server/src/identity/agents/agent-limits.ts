/**
 * The limits of an agent's logins, whatever the root that it discharges asks for. An agent discharges any
 * caveat it gets, so an attacker who relays their own root to it is limited as well.
 */
import {
  type Attenuations,
  formatExtra,
  formatTimeBefore,
  parseExtra,
  UNRESTRICTED,
} from '@ratafia/macaroon/conditions'
import { invalidField } from '../../errors.ts'
import { readLimits, type WantedAttenuations } from '../../tokens/wanted-limits.ts'

export interface AgentLimits extends Attenuations {
  /** The time from the login until the session expires, in milliseconds; null for no limit. */
  readonly maxLifetime: number | null
}

const UNLIMITED: AgentLimits = { ...UNRESTRICTED, maxLifetime: null }

/** An agent with parsed limits. */
export type WithLimits<Agent> = Omit<Agent, 'limits'> & { readonly limits: AgentLimits }

/** The options of a new agent. */
export interface WantedLimits extends WantedAttenuations {
  /** The maximum lifetime in milliseconds. */
  readonly maxLifetime?: number | undefined
}

/** Checks the limits. Throws `invalid-field` for limits that no token can have. */
export function checkLimits({ maxLifetime, ...wanted }: WantedLimits): AgentLimits {
  const { limits, problems } = readLimits(wanted)
  const [problem] = problems
  if (problem) throw invalidField(problem.message, { field: problem.field })
  return { ...limits, maxLifetime: maxLifetime ?? null }
}

/** Returns the conditions for each discharge that the agent gets; none without limits. */
export function limitConditions({ maxLifetime, ...attenuations }: AgentLimits, now: Date): string[] {
  const limited = Object.values(attenuations).some((list) => list !== null)
  return [
    ...(maxLifetime === null ? [] : [formatTimeBefore(new Date(now.getTime() + maxLifetime))]),
    ...(limited ? [formatExtra(attenuations)] : []),
  ]
}

/** Returns the text for the database; null without limits. */
export function formatLimits({ maxLifetime, ...attenuations }: AgentLimits): string | null {
  if (limitConditions({ maxLifetime, ...attenuations }, new Date(0)).length === 0) return null
  return JSON.stringify({ extra: formatExtra(attenuations).slice('extra '.length), maxLifetime })
}

/**
 * Parses a string of {@link formatLimits}. Throws for any other string, because refusing the discharge is
 * better than one without limits.
 */
export function parseLimits(text: string | null): AgentLimits {
  if (text === null) return UNLIMITED
  const { extra, maxLifetime }: { extra: unknown; maxLifetime: unknown } = JSON.parse(text)
  const duration = maxLifetime === null || Number.isSafeInteger(maxLifetime)
  if (typeof extra !== 'string' || !duration) throw new Error('the limits of an agent cannot be read')
  return { ...parseExtra(extra), maxLifetime: maxLifetime === null ? null : Number(maxLifetime) }
}
