// What each JavaScript program of a comparison does: reads the inputs, measures each work, prints one line of JSON.

import { readFileSync } from 'node:fs'
import type { Inputs } from './inputs.ts'

/** Operations for each second of CPU time (user and system, all threads), by work. */
export type Rates = Readonly<Record<string, number>>

/** Arguments of the program: the file of the inputs, seconds of CPU time for each work, and which works (all). */
export async function printRates(
  works: (inputs: Inputs) => Readonly<Record<string, () => unknown>>,
): Promise<void> {
  const [file = '', seconds = '', only] = process.argv.slice(2)
  const wanted = only?.split('|')
  const inputs = JSON.parse(readFileSync(file, 'utf8')) as Inputs
  const rates: Record<string, number> = {}
  for (const [work, run] of Object.entries(works(inputs))) {
    if (wanted && !wanted.includes(work)) continue
    // Compiled first: what is measured is a server that has been running for a while.
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
