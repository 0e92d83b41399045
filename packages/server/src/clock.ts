/** The time, passed as an argument: operations take a clock, which tests can set. */
export type Clock = () => Date

/**
 * This machine's clock, which may be wrong. What is stored, compared or removed depends on the database's clock instead
 * ({@link DatabaseClock}); docs/decisions/0058-one-clock.md lists every file that can use this one, and why.
 */
export const systemClock: Clock = () => new Date()

/** For waits within this process: no operator or program can set it. Its dates mean nothing outside the process. */
export const monotonicClock: Clock = () => new Date(performance.now())

export interface DatabaseClock {
  /** The database's time. */
  readonly now: Clock
  /**
   * Returns how far `machine`, which is the current time of this machine's clock, is ahead of the database's,
   * in milliseconds; negative if it is behind. Counts only what is certain: 0 while the two may agree.
   */
  aheadBy(machine: Date): number
}

/**
 * The limits below decide whether the two clocks agree. If they do not, one is wrong, and a process cannot
 * know which. Both limits assume that the wrong one is the database's.
 */

/** Beyond this difference a process reports it and does no periodic work, so that a wrong clock removes nothing. */
export const WORK_MS = 5_000
/** Beyond this difference it answers no requests, so an expired credential is accepted for at most this long. */
const SERVE_MS = 300_000

export interface ClockAgreement {
  readonly works: boolean
  readonly serves: boolean
  /** The problem, how a process of the service reacts, and the remedy; undefined while the clocks agree. */
  readonly says: string | undefined
}

/** Checks a machine that is `aheadMs` milliseconds ahead of the database. */
export function clockAgreement(aheadMs: number): ClockAgreement {
  const differs = clockDifference(aheadMs)
  if (differs === undefined) return { works: true, serves: true, says: undefined }
  const serves = Math.abs(aheadMs) <= SERVE_MS
  const result = serves ? 'does no periodic work' : 'does no periodic work and answers no requests'
  const says = `${differs} Set both by NTP: until they agree, this process ${result}.`
  return { works: false, serves, says }
}

/** Returns a sentence about clocks that do not agree; undefined if they do. */
export function clockDifference(aheadMs: number): string | undefined {
  const difference = Math.abs(aheadMs)
  if (difference <= WORK_MS) return undefined
  const where = aheadMs > 0 ? 'ahead of' : 'behind'
  return `The clock of this machine is ${inWords(difference)} ${where} the database's.`
}

function inWords(milliseconds: number): string {
  const seconds = milliseconds / 1000
  if (seconds < 120) return `${seconds.toFixed(1)} seconds`
  if (seconds < 5_400) return `${Math.round(seconds / 60)} minutes`
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} hours`
  return `${Math.round(seconds / 86_400)} days`
}
