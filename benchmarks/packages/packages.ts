/** Compares our packages with others, in reading and verifying macaroons and assertions without a service. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { onCores, SERVER_CORE } from '../harness/cores.ts'
import { median } from '../harness/statistics.ts'
import { atLeast, type Figure, ratio } from '../report/figure.ts'
import type { Work } from '../works/work.ts'
import { makeInputs } from './inputs.ts'
import type { Rates } from './rates.ts'

/** The share of a round's time for each of its 33 operations. */
const SHARE = 0.1

export const packages: Work = {
  name: 'packages',
  says: 'decoding and verifying macaroons and assertions, compared with other libraries',
  async measure({ pace, directory, say }) {
    const file = join(directory, 'packages.json')
    writeFileSync(file, JSON.stringify(makeInputs()))
    const options = { file, seconds: pace.seconds * SHARE }
    const measured = PEERS.map((peer) => ({ peer, rounds: [] as Pair[] }))
    for (let round = 1; round <= pace.rounds; round++) {
      say(`round ${round} of ${pace.rounds}`)
      for (const { peer, rounds } of measured) {
        const theirs = await ratesOf(peer, options)
        // They run next to each other, so that other work on the machine affects both.
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
  // Keeps our order, because Go sorts.
  return Object.keys(rounds[0]?.ours ?? {}).map((what) => {
    const all = (of: keyof Pair) => rounds.map((pair) => pair[of][what] ?? Number.NaN)
    const [ours, theirs] = [all('ours'), all('theirs')]
    return ratio(
      { what, measure: 'per CPU-second', ours: median(ours), more: { ours, theirs } },
      { name: peer.name, value: median(theirs) },
      atLeast(peer.mark),
    )
  })
}

/** A program that measures our packages or others. `benchmarks/setup` builds those that are not JavaScript. */
interface Program {
  readonly name: string
  readonly words: readonly string[]
  /** Our target, as a multiple of its rate. */
  readonly mark: number
}

const HERE = import.meta.dirname
const INSTALLED = join(HERE, '..')
const node = (file: string) => [process.execPath, '--disable-warning=ExperimentalWarning', join(HERE, file)]

const OURS = { name: 'ours', words: node('ours.ts') }

const PEERS: readonly Program[] = [
  { name: 'npm macaroon', mark: 5, words: node('npm-macaroon.ts') },
  {
    ...{ name: 'pymacaroons', mark: 5 },
    words: [join(INSTALLED, '.venv/bin/python'), join(HERE, 'pymacaroons_rates.py')],
  },
  { name: 'Go macaroon.v2', mark: 1, words: [join(INSTALLED, '.bin/macaroon-go')] },
  { name: 'snapd asserts', mark: 1, words: [join(INSTALLED, '.bin/asserts-go')] },
]

/**
 * Runs a program on the server core. `file` has the inputs, each work runs for `seconds` of CPU time, and `works` names
 * the works to run (all by default). Throws an Error if the program fails or is not installed.
 */
async function ratesOf(
  { name, words }: Pick<Program, 'name' | 'words'>,
  {
    file,
    seconds,
    works,
  }: { readonly file: string; readonly seconds: number; readonly works?: readonly string[] },
): Promise<Rates> {
  if (!existsSync(words[0] ?? '')) throw new Error(`${name} is not installed: run benchmarks/setup.`)
  const wanted = works ? [works.join('|')] : []
  const [program, args] = onCores(SERVER_CORE, [...words, file, String(seconds), ...wanted])
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, GOMAXPROCS: '1' },
  })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  if (code !== 0) throw new Error(`${name} exited with ${code}`)
  return JSON.parse(output)
}
