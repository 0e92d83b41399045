/** When a reminder is due: 30, 7 and 1 day before the expiry, and on the day; days are in UTC. */

/** The last step is first. */
const STEPS = [0, 1, 7, 30] as const
export type Step = (typeof STEPS)[number]

const DAY_MS = 86_400_000

/** A client that asks for three days sends the instant of expiry, so the token lives slightly less. */
const TOLERANCE_MS = 3_600_000
/** There are no reminders for anything shorter-lived, such as a login for a day or a CI job's token. */
export const SHORTEST_LIFE_MS = 3 * DAY_MS - TOLERANCE_MS

export interface Life {
  readonly since: Date
  readonly endsAt: Date
}

/**
 * Returns the step that applies on the day of `now`: the last one that has begun. A user who missed a step gets it
 * later, and never two at once. Returns undefined before the first step, after the day of expiry, and for a step in the
 * first half of the life: nothing is sent about a token for 30 days on the day it was created.
 */
export function stepAt({ since, endsAt }: Life, now: Date): Step | undefined {
  const life = endsAt.getTime() - since.getTime()
  if (life < SHORTEST_LIFE_MS) return undefined
  const left = dayOf(endsAt) - dayOf(now)
  const step = left < 0 ? undefined : STEPS.find((days) => left <= days)
  return step === undefined || life < 2 * step * DAY_MS - TOLERANCE_MS ? undefined : step
}

/** Returns the range of expiry dates that have a step on the day of `now`: `from` is inclusive, `before` is not. */
export const endsWithSteps = (now: Date): { readonly from: Date; readonly before: Date } => ({
  from: new Date(dayOf(now) * DAY_MS),
  before: new Date((dayOf(now) + STEPS[3] + 1) * DAY_MS),
})

/** Returns how many UTC midnights are between the two; negative after the expiry. */
export const daysLeft = (endsAt: Date, now: Date): number => dayOf(endsAt) - dayOf(now)

const dayOf = (at: Date): number => Math.floor(at.getTime() / DAY_MS)
