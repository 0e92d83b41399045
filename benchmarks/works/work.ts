/** What a work is, and what it gets. */

import type { Refusal } from '../harness/refusals.ts'
import type { Measured, Pace } from '../harness/rounds.ts'
import type { Figure } from '../report/figure.ts'

export interface Run {
  readonly pace: Pace
  /** A smoke run: little data, few rounds. */
  readonly quick: boolean
  /** Also what takes much more time and disk. */
  readonly huge: boolean
  /** Also what takes an hour. */
  readonly hour: boolean
  /** A directory of this run, removed after it. */
  readonly directory: string
  /** Says what it does now. */
  say(line: string): void
  /** Ends what a work has started, after the work, the latest first. */
  after(end: () => Promise<unknown>): void
}

export interface WorkResult {
  readonly figures: readonly Figure[]
  /** What was shown to be refused, by each service that was measured. */
  readonly refusals: readonly Refusal[]
}

export interface Work {
  readonly name: string
  /** One sentence for `--list`. */
  readonly says: string
  readonly measure: (run: Run) => Promise<WorkResult>
}

/** The medians and rounds of a contender, rounded for the file. */
export function detailsOf({ name, median, rounds }: Measured): Readonly<Record<string, unknown>> {
  const short = (round: object) =>
    Object.fromEntries(
      Object.entries(round).map(([key, value]) => [key, Number(Number(value).toPrecision(5))]),
    )
  return { name, median: short(median), rounds: rounds.map(short) }
}

export function named(measured: readonly Measured[], name: string): Measured {
  const found = measured.find((each) => each.name === name)
  if (!found) throw new TypeError(`nobody is called ${name}`)
  return found
}
