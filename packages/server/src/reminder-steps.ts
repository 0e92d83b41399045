/** When a reminder is due: 30, 7 and 1 day before the end, and on the day; days are those of UTC. */

/** From the last to the first. */
const STEPS = [0, 1, 7, 30] as const
export type Step = (typeof STEPS)[number]

const DAY_MS = 86_400_000

/** Who asks for three days names the instant of their end, and lives a moment less. */
const TOLERANCE_MS = 3_600_000
/** What lives shorter than this gets no reminder: a login of a day, the token of a job. */
export const SHORTEST_LIFE_MS = 3 * DAY_MS - TOLERANCE_MS

export interface Life {
  readonly since: Date
  readonly endsAt: Date
}

/**
 * The step that counts on the day of `now`, which is the last one that has begun: whoever was away on the day of a step
 * gets it later, and never two at once. Undefined before the first step, after the day of the end, and for a step that
 * would come in the first half of the life: of a token for 30 days nobody is reminded on the day it was made.
 */
export function stepAt({ since, endsAt }: Life, now: Date): Step | undefined {
  const life = endsAt.getTime() - since.getTime()
  if (life < SHORTEST_LIFE_MS) return undefined
  const left = dayOf(endsAt) - dayOf(now)
  const step = left < 0 ? undefined : STEPS.find((days) => left <= days)
  return step === undefined || life < 2 * step * DAY_MS - TOLERANCE_MS ? undefined : step
}

/** The ends that have a step on the day of `now`: from the first instant on, before the second. */
export const endsWithSteps = (now: Date): { readonly from: Date; readonly before: Date } => ({
  from: new Date(dayOf(now) * DAY_MS),
  before: new Date((dayOf(now) + STEPS[3] + 1) * DAY_MS),
})

/** How many midnights of UTC lie between; negative after the end. */
export const daysLeft = (endsAt: Date, now: Date): number => dayOf(endsAt) - dayOf(now)

const dayOf = (at: Date): number => Math.floor(at.getTime() / DAY_MS)
