/** The interface of works and of their runs. */
import type { Refusal } from '../harness/refusals.ts'
import type { Measured, Pace } from '../harness/rounds.ts'
import type { Figure } from '../report/figure.ts'

export interface Run {
  readonly pace: Pace
  /** Whether this is a smoke run with little data and few rounds. */
  readonly quick: boolean
  /** Whether to also run parts that need much more time and disk space. */
  readonly huge: boolean
  /** Whether to also run parts that need an hour. */
  readonly hour: boolean
  /** The run's directory, which is removed after it. */
  readonly directory: string
  /** Prints the current step. */
  say(line: string): void
  /** Registers a function to call after the work, latest first, which ends something that the work has started. */
  after(end: () => Promise<unknown>): void
}

export interface WorkResult {
  readonly figures: readonly Figure[]
  /** The checked refusals of each measured service. */
  readonly refusals: readonly Refusal[]
}

export interface Work {
  readonly name: string
  /** The description for `--list`. */
  readonly says: string
  readonly measure: (run: Run) => Promise<WorkResult>
}

/** Returns the medians and rounds of a contender, rounded for the file. */
export function detailsOf({ name, median, rounds }: Measured): Readonly<Record<string, unknown>> {
  const short = (round: object) =>
    Object.fromEntries(
      Object.entries(round).map(([key, value]) => [key, Number(Number(value).toPrecision(5))]),
    )
  return { name, median: short(median), rounds: rounds.map(short) }
}

export function named(measured: readonly Measured[], name: string): Measured {
  const found = measured.find((each) => each.name === name)
  if (!found) throw new TypeError(`there is no contender ${name}`)
  return found
}
