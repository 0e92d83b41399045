/** Our packages beside others that do the same: reading and verifying macaroons and assertions, without a service. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { median } from '../harness/statistics.ts'
import { atLeast, type Figure, ratio } from '../report/figure.ts'
import type { Work } from '../works/work.ts'
import { makeInputs } from './inputs.ts'
import { OURS, PEERS, type Program, ratesOf } from './programs.ts'
import type { Rates } from './rates.ts'

/** Of a round's time, for each thing that is done in it: there are 33. */
const SHARE = 0.1

export const packages: Work = {
  name: 'packages',
  says: 'macaroons and assertions decoded and verified, beside other libraries',
  async measure({ pace, directory, say }) {
    const file = join(directory, 'packages.json')
    writeFileSync(file, JSON.stringify(makeInputs()))
    const options = { file, seconds: pace.seconds * SHARE }
    const measured = PEERS.map((peer) => ({ peer, rounds: [] as Pair[] }))
    for (let round = 1; round <= pace.rounds; round++) {
      say(`round ${round} of ${pace.rounds}`)
      for (const { peer, rounds } of measured) {
        const theirs = await ratesOf(peer, options)
        // Next to each other: what else the machine does hits both.
        rounds.push({ theirs, ours: await ratesOf(OURS, { ...options, works: Object.keys(theirs) }) })
      }
    }
    return { figures: measured.flatMap(figuresOf), refusals: [] }
  },
}

interface Pair {
  readonly ours: Rates
  readonly theirs: Rates
}

function figuresOf({
  peer,
  rounds,
}: {
  readonly peer: Program
  readonly rounds: readonly Pair[]
}): readonly Figure[] {
  // In the order of ours: Go sorts.
  return Object.keys(rounds[0]?.ours ?? {}).map((what) => {
    const all = (of: keyof Pair) => rounds.map((pair) => pair[of][what] ?? Number.NaN)
    const [ours, theirs] = [all('ours'), all('theirs')]
    return ratio(
      { what, measure: 'a CPU-second', ours: median(ours), more: { ours, theirs } },
      { name: peer.name, value: median(theirs) },
      atLeast(peer.mark),
    )
  })
}
