// The main function of a comparison's JavaScript programs: reads the inputs, measures each work, prints a line of JSON.

import { readFileSync } from 'node:fs'
import type { Inputs } from './inputs.ts'

/** Operations per second of CPU time (user and system, all threads), by work. */
export type Rates = Readonly<Record<string, number>>

/** Runs the program. Arguments: the file of inputs, seconds of CPU time for each work, the works (default: all). */
export async function printRates(
  works: (inputs: Inputs) => Readonly<Record<string, () => unknown>>,
): Promise<void> {
  const [file = '', seconds = '', only] = process.argv.slice(2)
  const wanted = only?.split('|')
  const inputs = JSON.parse(readFileSync(file, 'utf8')) as Inputs
  const rates: Record<string, number> = {}
  for (const [work, run] of Object.entries(works(inputs))) {
    if (wanted && !wanted.includes(work)) continue
    // Runs first without measuring, so that the code is compiled as in a server that has been running for a while.
    await rateOf(run, Number(seconds) / 2)
    rates[work] = await rateOf(run, Number(seconds))
  }
  process.stdout.write(`${JSON.stringify(rates)}\n`)
}

async function rateOf(run: () => unknown, seconds: number): Promise<number> {
  const before = process.cpuUsage()
  for (let runs = 0; ; ) {
    for (let i = 0; i < 50; i++) {
      const result = run()
      if (result instanceof Promise) await result
    }
    runs += 50
    const { user, system } = process.cpuUsage(before)
    if (user + system > seconds * 1_000_000) return (runs * 1_000_000) / (user + system)
  }
}
