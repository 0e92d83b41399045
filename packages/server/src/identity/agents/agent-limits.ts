/**
 * What the logins of an agent are limited to, whatever the root that it discharges asks for. An agent discharges what it
 * is given: whoever relays their own root to it gets no more than this.
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
  /** Milliseconds from the login to the end of the session; null means no limit. */
  readonly maxLifetime: number | null
}

const UNLIMITED: AgentLimits = { ...UNRESTRICTED, maxLifetime: null }

/** An agent whose limits were read. */
export type WithLimits<Agent> = Omit<Agent, 'limits'> & { readonly limits: AgentLimits }

/** The options of a new agent. */
export interface WantedLimits extends WantedAttenuations {
  /** Milliseconds. */
  readonly maxLifetime?: number | undefined
}

/** Throws `invalid-field` for what no token can be limited to. */
export function checkLimits({ maxLifetime, ...wanted }: WantedLimits): AgentLimits {
  const { limits, problems } = readLimits(wanted)
  const [problem] = problems
  if (problem) throw invalidField(problem.message, { field: problem.field })
  return { ...limits, maxLifetime: maxLifetime ?? null }
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
