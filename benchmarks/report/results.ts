/** Keeps the results of a commit in `benchmarks/results/<commit>.json`. Each run adds its works. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../../tools/test/programs.ts'
import type { Pace } from '../harness/rounds.ts'
import type { WorkResult } from '../works/work.ts'
import type { Figure } from './figure.ts'

const RESULTS = join(import.meta.dirname, '../results')

export interface Results {
  /** The commit whose `packages/` were measured. */
  readonly commit: string
  readonly works: Readonly<Record<string, WorkRun>>
}

/** The newest run of each work, at any commit. */
export interface NewestRuns {
  readonly works: Readonly<Record<string, WorkRun & Pick<Results, 'commit'>>>
}

export interface WorkRun extends WorkResult {
  readonly date: string
  /** The commit of the harness. */
  readonly harness: string
  readonly machine: Readonly<Record<string, string>>
  /** The system's load average of the last five minutes, at the end; about 2 if nothing else ran. */
  readonly load: number
  readonly pace: Pace
  /** The duration in seconds. */
  readonly took?: number
}

/**
 * Returns the measured commit: that of the checkout, or `as`. Throws an Error if the checkout's packages
 * differ from the commit's, because the figures would be shown for code other than the measured one.
 */
export function measuredCommit(as = 'HEAD'): string {
  const changed = spawnSync('git', ['diff', '--quiet', as, '--', 'packages'], { cwd: ROOT }).status
  if (changed !== 0) throw new Error(`packages/ differs from ${as}. Commit first, or measure with --quick.`)
  return git('rev-parse', '--short=7', as)
}

export function machine(postgres: string | undefined): Readonly<Record<string, string>> {
  return {
    cpu: `${cpus().length} × ${cpus()[0]?.model.trim()}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    system: `${process.platform} ${release()}`,
    node: process.version,
    ...(postgres !== undefined && { postgres }),
  }
}

/** Stores a work's run, and replaces an earlier one at the same commit. */
export function keep(commit: string, name: string, run: Omit<WorkRun, 'harness' | 'load'>): void {
  const file = fileOf(commit)
  const earlier = resultsOf(commit) ?? { commit, works: {} }
  const harness = git('rev-parse', '--short=7', 'HEAD')
  const results = {
    ...earlier,
    works: { ...earlier.works, [name]: { harness, load: Number((loadavg()[1] ?? 0).toFixed(1)), ...run } },
  }
  mkdirSync(RESULTS, { recursive: true })
  writeFileSync(file, `${JSON.stringify(results, undefined, 1)}\n`)
}

export function resultsOf(commit: string): Results | undefined {
  const file = fileOf(commit)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

const fileOf = (commit: string): string => join(RESULTS, `${commit}.json`)

/** Finds the figure of another result with the same measure and the same comparison. */
export function sameFigure(
  { works }: Pick<Results, 'works'>,
  work: string,
  figure: Figure,
): Figure | undefined {
  const key = ({ what, database, measure, beside }: Figure) =>
    JSON.stringify([what, database, measure, beside?.name])
  return works[work]?.figures.find((other) => key(other) === key(figure))
}

export function newestRuns(): NewestRuns {
  const files = existsSync(RESULTS) ? readdirSync(RESULTS).filter((name) => name.endsWith('.json')) : []
  const all = files.map((name): Results => JSON.parse(readFileSync(join(RESULTS, name), 'utf8')))
  const runs = all.flatMap(({ commit, works }) =>
    Object.entries(works).map(([name, run]) => [name, { ...run, commit }] as const),
  )
  // If several runs have the same name, the last one is used.
  return { works: Object.fromEntries(runs.sort(([, a], [, b]) => Date.parse(a.date) - Date.parse(b.date))) }
}

const git = (...words: readonly string[]): string =>
  execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' }).trim()
