/** `npm run bench`: measures the works and reports them. `--help` says how. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { leaveServerCore } from './harness/cores.ts'
import { HELP, type Options, readOptions } from './options.ts'
import { tableOf } from './report/table.ts'
import { stopPostgres } from './services/postgres.ts'
import { takeProfiles } from './services/profiling.ts'
import { WORKS } from './works/all.ts'
import type { Work, WorkResult } from './works/work.ts'

const options = readOptions(process.argv.slice(2))
if (options.help) process.stdout.write(HELP)
else if (options.list) {
  for (const { name, says } of WORKS) process.stdout.write(`${name.padEnd(14)}${says}\n`)
} else process.exitCode = (await measureAll(options)) ? 0 : 1

async function measureAll({ works, pace, quick, profile }: Options): Promise<boolean> {
  leaveServerCore()
  if (profile !== undefined) takeProfiles(profile)
  const directory = mkdtempSync(join(tmpdir(), 'ratafia-bench-'))
  // PostgreSQL's own account goes through it.
  chmodSync(directory, 0o755)
  const results = new Map<Work, WorkResult>()
  try {
    for (const work of works) {
      const ends: (() => Promise<unknown>)[] = []
      const say = (line: string) => process.stderr.write(`${work.name}: ${line}\n`)
      try {
        const result = await work.measure({ pace, quick, directory, say, after: (end) => ends.push(end) })
        results.set(work, result)
        process.stdout.write(`${tableOf(work.name, result)}\n`)
      } finally {
        for (let end = ends.pop(); end; end = ends.pop()) await end()
      }
    }
  } finally {
    await stopPostgres()
    rmSync(directory, { recursive: true, force: true })
  }
  return [...results.values()].every(({ refusals }) => refusals.every(({ refused }) => refused))
}
