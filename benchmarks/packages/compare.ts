/**
 * Our packages beside others, on one core in alternating rounds, by CPU time (user and system, all threads):
 * `node benchmarks/packages/compare.ts`. Prints operations a second of each and the ratio: medians of the rounds, the
 * ratio of what ran next to each other. What each side does is in its program; see also README.md.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeInputs } from './inputs.ts'
import { OURS, PEERS, type Peer, type Program } from './peers.ts'
import type { Rates } from './rates.ts'

export interface Row {
  readonly peer: string
  readonly work: string
  /** Operations for each second of CPU time. */
  readonly ours: number
  readonly theirs: number
  /** Ours by theirs. */
  readonly ratio: number
  /** The least the ratio should be. */
  readonly mark: number
}

export interface Options {
  /** Odd, so that a median is one of the rounds. */
  readonly rounds?: number
  /** Seconds of CPU time for each work in each round. */
  readonly seconds?: number
}

/** Builds the peers that this machine can build, and measures. `warn` is told of those left out. */
export async function comparePackages(
  { rounds = 5, seconds = 0.3 }: Options = {},
  warn = (message: string): void => void process.stderr.write(`${message}\n`),
): Promise<readonly Row[]> {
  const directory = mkdtempSync(join(tmpdir(), 'ratafia-packages-'))
  try {
    const file = join(directory, 'inputs.json')
    writeFileSync(file, JSON.stringify(makeInputs()))
    const rows: Row[] = []
    for (const peer of PEERS) {
      const program = await prepared(peer, warn)
      if (program) rows.push(...(await alternate(peer, program, [file, String(seconds)], rounds)))
    }
    return rows
  } finally {
    rmSync(directory, { recursive: true })
  }
}

async function prepared(peer: Peer, warn: (message: string) => void): Promise<Program | undefined> {
  try {
    return await peer.prepare()
  } catch (error) {
    warn(`${peer.name} is left out: ${(error as Error).message}`)
    return undefined
  }
}

async function alternate(
  { name, mark }: Peer,
  program: Program,
  options: readonly string[],
  rounds: number,
): Promise<readonly Row[]> {
  const pairs: (readonly [ours: Rates, theirs: Rates])[] = []
  for (let round = 0; round < rounds; round++) {
    const theirs = await ratesOf(program, options)
    pairs.push([await ratesOf(OURS, [...options, Object.keys(theirs).join('|')]), theirs])
  }
  // In the order of ours: Go sorts.
  return Object.keys(pairs[0]?.[0] ?? {}).map((work) => {
    const rates = pairs.map(
      ([ours, theirs]) => [ours[work] ?? Number.NaN, theirs[work] ?? Number.NaN] as const,
    )
    return {
      peer: name,
      work,
      ours: median(rates.map(([ours]) => ours)),
      theirs: median(rates.map(([, theirs]) => theirs)),
      ratio: median(rates.map(([ours, theirs]) => ours / theirs)),
      mark,
    }
  })
}

/** All programs run on the first core, one after the other. */
function ratesOf({ command, environment = {} }: Program, options: readonly string[]): Promise<Rates> {
  const child = spawn('taskset', ['-c', '0', ...command, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve(JSON.parse(text) as Rates)
      else reject(new Error(`${command.join(' ')} ended with ${code}`))
    })
  })
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

if (import.meta.main) {
  for (const { peer, work, ours, theirs, ratio, mark } of await comparePackages()) {
    const [a, b] = [ours, theirs].map((rate) => Math.round(rate).toLocaleString('en').padStart(9))
    const met = ratio >= mark ? 'met' : 'missed'
    const figures = `ours ${a}/s   theirs ${b}/s   ${ratio.toFixed(2).padStart(6)} times (mark ${mark}, ${met})`
    process.stdout.write(`${peer.padEnd(15)} ${work.padEnd(43)} ${figures}\n`)
  }
}
