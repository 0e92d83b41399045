/** Reads the words after `npm run bench --`. */
import { parseArgs } from 'node:util'
import type { Pace } from './harness/rounds.ts'
import { WORKS } from './works/all.ts'
import type { Work } from './works/work.ts'

export const HELP = `npm run bench [-- [options] [WORK…]]

Measures these works, or all of them. Compares the service with its limit or a peer, in rounds that alternate. Prints a
table, and writes benchmarks/results/<commit>.json, docs/performance.svg and the figures of docs/performance.md. Needs
Linux, two cores and the programs that benchmarks/setup installs. Exits with 1 if
something that must be refused was not.

  --list            list the works
  --quick           smoke run with little data and short rounds; writes nothing
  --huge            also run sizes with 10,000,000 rows on PostgreSQL (half an hour, 20 GB of disk)
  --hour            also run the loads of memory for an hour on PostgreSQL
  --rounds N        rounds of each contender (5)
  --seconds N       seconds of each round (3)
  --warm-up N       seconds of warm-up of each contender (20)
  --as COMMIT       record the result for this commit, which has the same packages as the checkout
  --profile LABEL   also write CPU profiles of the service, as flame graphs docs/performance/*-LABEL.svg
  --report          measure nothing; write the page and the chart from the newest results
  --help            print this help
`

export interface Options {
  readonly works: readonly Work[]
  readonly pace: Pace
  readonly quick: boolean
  readonly huge: boolean
  readonly hour: boolean
  readonly list: boolean
  readonly help: boolean
  readonly report: boolean
  readonly as: string | undefined
  readonly profile: string | undefined
}

/** Throws an Error that names the wrong word. */
export function readOptions(words: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      ...{
        list: { type: 'boolean' },
        help: { type: 'boolean' },
        report: { type: 'boolean' },
        quick: { type: 'boolean' },
        huge: { type: 'boolean' },
        hour: { type: 'boolean' },
      },
      ...{ rounds: { type: 'string' }, seconds: { type: 'string' }, 'warm-up': { type: 'string' } },
      ...{ as: { type: 'string' }, profile: { type: 'string' } },
    },
  })
  const quick = values.quick ?? false
  const works = positionals.map((name) => {
    const found = WORKS.find((work) => work.name === name)
    if (!found) throw new Error(`There is no work ${name}. Run with --list to list the works.`)
    return found
  })
  return {
    works: works.length > 0 ? works : WORKS,
    pace: {
      rounds: numberOf(values.rounds, quick ? 2 : 5, 'rounds'),
      seconds: numberOf(values.seconds, quick ? 1 : 3, 'seconds'),
      warmUpSeconds: numberOf(values['warm-up'], quick ? 1 : 20, 'warm-up'),
    },
    ...{
      quick,
      huge: values.huge ?? false,
      hour: values.hour ?? false,
      list: values.list ?? false,
      help: values.help ?? false,
      as: values.as,
    },
    report: values.report ?? false,
    profile: values.profile,
  }
}

function numberOf(text: string | undefined, standard: number, name: string): number {
  const number = text === undefined ? standard : Number(text)
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} is not a positive number: ${text}`)
  return number
}
