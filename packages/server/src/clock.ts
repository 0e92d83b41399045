/** The time, as an argument: operations take a clock, which tests can set. */
export type Clock = () => Date

/**
 * This machine's clock, which may be wrong. Whatever is stored, compared or removed goes by the database's clock
 * instead ({@link DatabaseClock}); docs/decisions/0058-one-clock.md lists every file that may use this one, and why.
 */
export const systemClock: Clock = () => new Date()

/** For waits that only this process knows of: nobody can set it. Its dates mean nothing elsewhere. */
export const monotonicClock: Clock = () => new Date(performance.now())

export interface DatabaseClock {
  /** The database's time. */
  readonly now: Clock
  /**
   * How far `machine`, the time of this machine's clock at this moment, is ahead of the database's, in milliseconds;
   * negative if it is behind. Only as much as is certain: 0 while the two may agree.
   */
  aheadBy(machine: Date): number
}

/**
 * What follows is about whether the two clocks agree. If they do not, one of them is wrong, and a process cannot know
 * which: both limits are about what happens if it is the database's.
 */

/** Beyond this difference a process says so, and does no periodic work: nothing is removed by a clock that is wrong. */
export const WORK_MS = 5_000
/** Beyond this one it answers no requests: an expired credential is accepted for no longer than this. */
const SERVE_MS = 300_000

export interface ClockAgreement {
  readonly works: boolean
  readonly serves: boolean
  /** What is wrong, what a process of the service does about it, and what to do; undefined while the clocks agree. */
  readonly says: string | undefined
}

/** `aheadMs`: how far this machine is ahead of the database. */
export function clockAgreement(aheadMs: number): ClockAgreement {
  const differs = clockDifference(aheadMs)
  if (differs === undefined) return { works: true, serves: true, says: undefined }
  const serves = Math.abs(aheadMs) <= SERVE_MS
  const result = serves ? 'does no periodic work' : 'does no periodic work and answers no requests'
  const says = `${differs} Set both by NTP: until they agree, the service here ${result}.`
  return { works: false, serves, says }
}

/** A sentence about clocks that do not agree; undefined if they do. */
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
