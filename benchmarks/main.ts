/** The program of `npm run bench`, which measures the works and reports them. `--help` explains the options. */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { leaveServerCore } from './harness/cores.ts'
import { HELP, type Options, readOptions } from './options.ts'
import { writePage } from './report/page.ts'
import { keep, machine, measuredCommit, newestRuns } from './report/results.ts'
import { tableOf } from './report/table.ts'
import { databaseVersion, stopPostgres } from './services/postgres.ts'
import { takeProfiles } from './services/profiling.ts'
import { WORKS } from './works/all.ts'
import type { Work, WorkResult } from './works/work.ts'

const options = readOptions(process.argv.slice(2))
if (options.help) process.stdout.write(HELP)
else if (options.list) {
  for (const { name, says } of WORKS) process.stdout.write(`${name.padEnd(14)}${says}\n`)
} else if (options.report) {
  writePage(newestRuns())
} else process.exitCode = (await measureAll(options)) ? 0 : 1

async function measureAll(options: Options): Promise<boolean> {
  const { works, pace, quick, profile, as } = options
  // Check this first, because it must not fail after an hour.
  const commit = quick ? undefined : measuredCommit(as)
  installPeers()
  leaveServerCore()
  if (profile !== undefined) takeProfiles(profile)
  const directory = mkdtempSync(join(tmpdir(), 'ratafia-bench-'))
  // PostgreSQL's own account needs to pass through it.
  chmodSync(directory, 0o755)
  let good = true
  try {
    for (const work of works) {
      // If a work fails, the others' figures are kept.
      const began = performance.now()
      const result = await measure(work, options, directory).catch((error: unknown) => {
        process.stderr.write(`${work.name}: ${error instanceof Error ? error.stack : error}\n`)
      })
      good &&= result?.refusals.every(({ refused }) => refused) ?? false
      const took = Math.round((performance.now() - began) / 1_000)
      process.stderr.write(`${timeOf(took)} ${work.name}: done\n`)
      if (!result) continue
      process.stdout.write(`${tableOf(work.name, result)}\n`)
      if (commit === undefined) continue
      const date = new Date().toISOString()
      const on = machine(await databaseVersion())
      keep(commit, work.name, { date, machine: on, pace, took, ...result })
      writePage(newestRuns())
    }
  } finally {
    await stopPostgres()
    rmSync(directory, { recursive: true, force: true })
  }
  return good
}

async function measure(work: Work, options: Options, directory: string): Promise<WorkResult> {
  const { pace, quick, huge, hour } = options
  const ends: (() => Promise<unknown>)[] = []
  const began = performance.now()
  const say = (line: string) => {
    process.stderr.write(`${timeOf((performance.now() - began) / 1_000)} ${work.name}: ${line}\n`)
  }
  try {
    return await work.measure({ pace, quick, huge, hour, directory, say, after: (end) => ends.push(end) })
  } finally {
    for (let end = ends.pop(); end; end = ends.pop()) await end()
  }
}

/** Returns the time as `m:ss`. */
function timeOf(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`
}

/** Installs the peers that npm has; `benchmarks/setup` also installs the others. */
function installPeers(): void {
  if (existsSync(join(import.meta.dirname, 'node_modules'))) return
  const words = ['ci', '--no-audit', '--no-fund']
  const { status } = spawnSync('npm', words, { cwd: import.meta.dirname, stdio: 'inherit' })
  if (status !== 0) throw new Error('Could not install the peers of benchmarks/package.json.')
}
